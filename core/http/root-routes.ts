import { toApiUrl } from "./api-url.ts";
import { answerJson, answerText } from "./openapi/responses.ts";
import { openapiRoutes } from "./openapi/routes.ts";
import { objectSchema, stringSchema } from "./openapi/schema.ts";
import { replyJson } from "./replies.ts";
import { createRouteDeclarations } from "./route.ts";

const { defineRoute } = createRouteDeclarations<unknown>();

const version = answerJson(objectSchema({ version: stringSchema, docs_url: stringSchema }), {
	example: { version: "0.1.0", docs_url: "http://127.0.0.1:9101/v1/docs" },
});

/** Routes at the root of the API, and those of the API description. */
export const rootRoutes = [
	...openapiRoutes,
	defineRoute({
		method: "GET",
		path: "/",
		component: "api",
		summary: "Tell the version of the service",
		description: "A browser is shown a page, without credentials.",
		answers: { 200: { ...version, content: { ...version.content, ...answerText(["text/html"], "", "<!doctype html>").content } } },
		permission: "authenticated",
		handler: (context) => replyJson({ version: context.version, docs_url: `${toApiUrl(context)}/v1/docs` }),
	}),
];
