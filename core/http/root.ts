import { answerJson } from "./openapi/answers.ts";
import { openapiRoutes } from "./openapi/routes.ts";
import { object, text } from "./openapi/schema.ts";
import { replyJson } from "./respond.ts";
import { routesOver } from "./route.ts";

const { defineRoute } = routesOver<unknown>();

/** What answers at the root of the API. */
export const rootRoutes = [
	...openapiRoutes,
	defineRoute({
		method: "GET",
		path: "/",
		component: "api",
		summary: "Tell the version of the service",
		answers: { 200: answerJson(object({ version: text, docs_url: text }), { example: { version: "0.1.0", docs_url: "/v1/docs" } }) },
		permission: "authenticated",
		handler: ({ version }) => replyJson({ version, docs_url: "" }),
	}),
];
