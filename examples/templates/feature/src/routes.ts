import {
	answerJson,
	answerPage,
	defineBody,
	defineRoute,
	defineSchema,
	fieldsOf,
	objectSchema,
	pagingQuery,
	parsePaging,
	type Route,
	replyJson,
	replyList,
} from "svc-automation/feature";
import { noteKind } from "./notes.ts";

const note = defineSchema("TemplateNameNote", objectSchema(fieldsOf(noteKind, ["id", "text", "user", "created_at"])), {
	id: "66a1f0c29d3e4b7a51c08d12",
	text: "The disk of db1 is new.",
	user: "maria",
	created_at: "2031-03-04T09:15:02.418273Z",
});

const input = defineBody<{ readonly text: string }>({
	properties: { text: { type: "string", minLength: 1, maxLength: 500 } },
	required: ["text"],
	closed: true,
});

/** Number of notes in an answer if the request has no limit. */
const defaultLimit = 100;

export const listNotes: Route = defineRoute({
	method: "GET",
	path: "/template-name/notes",
	component: "api",
	summary: "List notes, the newest first",
	answers: { 200: answerPage(note) },
	permission: "template_note_list",
	query: pagingQuery,
	async handler(context) {
		const paging = parsePaging(context, defaultLimit);
		const { items, total } = await context.engine.templateNameNotes.list(paging);
		return replyList({ items: items.map((item) => ({ ...item })), total }, paging, undefined);
	},
});

export const routes: readonly Route[] = [
	listNotes,
	defineRoute({
		method: "POST",
		path: "/template-name/notes",
		component: "api",
		summary: "Create a note",
		answers: { 201: answerJson(note) },
		permission: "template_note_create",
		body: input,
		handler: async ({ engine, body, principal }) => replyJson(await engine.templateNameNotes.create(body.text, principal), 201),
	}),
];
