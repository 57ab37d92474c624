import {
	answerJson,
	defineBody,
	defineRoute,
	defineSchema,
	describeList,
	fieldsOf,
	objectSchema,
	type Route,
	replyJson,
} from "svc-automation/feature";
import type { Board, NoteInput } from "./board.ts";
import { noteKind } from "./note.ts";

declare module "svc-automation/feature" {
	interface Engine {
		readonly board: Board;
	}
}

const input = defineBody<NoteInput>({
	properties: { text: { type: "string", minLength: 1, maxLength: 500 }, pinned: { type: "boolean" } },
	required: ["text"],
	closed: true,
});

/** A note in a response: all stored fields. The description of the API contains the schema under this name. */
const note = defineSchema("Note", objectSchema(fieldsOf(noteKind, ["id", "text", "user", "posted_at", "pinned"])), {
	id: "66a1f0c29d3e4b7a51c08d12",
	text: "There is cake.",
	user: "maria",
	posted_at: "2031-03-04T09:15:02.418273Z",
	pinned: false,
});

export const listNotes = defineRoute({
	method: "GET",
	path: "/notes",
	component: "api",
	summary: "List the notes on the board, the newest first",
	answers: { 200: describeList(note) },
	permission: "note_list",
	handler: async ({ engine }) => replyJson(await engine.board.list()),
});

export const routes: readonly Route[] = [
	listNotes,
	defineRoute({
		method: "POST",
		path: "/notes",
		component: "api",
		summary: "Put a note on the board",
		description: "A pinned note also requires the permission `note_pin`.",
		answers: { 201: answerJson(note) },
		permission: "note_create",
		body: input,
		handler: async ({ engine, body, principal }) => replyJson(await engine.board.post(body, principal), 201),
	}),
];
