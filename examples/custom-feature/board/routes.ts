import { answerJson, defineBody, defineRoute, defineSchema, describeList, fieldsOf, replyJson } from "svc-automation/feature";
import type { Board } from "./board.ts";
import { noteKind } from "./note.ts";

declare module "svc-automation/feature" {
	interface Engine {
		readonly board: Board;
	}
}

const input = defineBody<{ readonly text: string }>({
	properties: { text: { type: "string", minLength: 1, maxLength: 500 } },
	required: ["text"],
	closed: true,
});

/** What a note is on the wire: what is stored of it. The description of the API has it under this name. */
const note = defineSchema(
	"Note",
	{
		type: "object",
		properties: fieldsOf(noteKind, ["id", "text", "user", "posted_at"]),
		required: ["id", "text", "user", "posted_at"],
		additionalProperties: false,
	},
	{ id: "66a1f0c29d3e4b7a51c08d12", text: "There is cake.", user: "maria", posted_at: "2031-03-04T09:15:02.418273Z" },
);

export const listNotes = defineRoute({
	method: "GET",
	path: "/notes",
	component: "api",
	summary: "List the notes on the board, the newest first",
	answers: { 200: describeList(note) },
	permission: "note_list",
	handler: async ({ engine }) => replyJson(await engine.board.list()),
});

export const routes = [
	listNotes,
	defineRoute({
		method: "POST",
		path: "/notes",
		component: "api",
		summary: "Put a note on the board",
		answers: { 201: answerJson(note) },
		permission: "note_create",
		body: input,
		handler: async ({ engine, body, principal }) => replyJson(await engine.board.post(body.text, principal), 201),
	}),
];
