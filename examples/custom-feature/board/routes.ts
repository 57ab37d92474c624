import { defineBody, defineRoute, replyJson } from "svc-automation/feature";
import type { Board } from "./board.ts";

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

export const routes = [
	defineRoute({
		method: "GET",
		path: "/notes",
		component: "api",
		permission: "note_list",
		handler: async ({ engine }) => replyJson(await engine.board.list()),
	}),
	defineRoute({
		method: "POST",
		path: "/notes",
		component: "api",
		permission: "note_create",
		body: input,
		handler: async ({ engine, body, principal }) => replyJson(await engine.board.post(body.text, principal), 201),
	}),
];
