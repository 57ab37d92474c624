import { toApiUrl } from "./api-url.ts";
import { pageHeaders } from "./openapi/page.ts";
import { answerJson, answerText } from "./openapi/responses.ts";
import { jsonObject, objectSchema, stringSchema } from "./openapi/schema-builders.ts";
import { replyContent, replyJson } from "./replies.ts";
import { createRouteDeclarations } from "./route.ts";

const { defineRoute } = createRouteDeclarations<unknown>();

const version = answerJson(objectSchema({ version: stringSchema, docs_url: stringSchema }), {
	example: { version: "0.1.0", docs_url: "http://127.0.0.1:9101/v1/docs" },
});

/** Routes at the root of the API, and those of the API description. */
export const rootRoutes = [
	// The API description is public, because programs that generate clients and people who read it have no credential yet. The description
	// contains no data.
	defineRoute({
		method: "GET",
		path: "/openapi.json",
		component: "api",
		permission: "public",
		summary: "Get the OpenAPI 3.1 description of the API",
		answers: { 200: answerJson(jsonObject, { description: "This description.", example: { openapi: "3.1.0" } }), 500: undefined },
		handler: ({ description }) => replyJson(description.document()),
	}),
	defineRoute({
		method: "GET",
		path: "/docs",
		component: "api",
		permission: "public",
		summary: "Get the description of the API as an HTML page",
		answers: { 200: answerText(["text/html"], "The page.", "<!doctype html>"), 500: undefined },
		handler: ({ description }) => replyContent(description.page(), "text/html; charset=UTF-8", pageHeaders),
	}),
	defineRoute({
		method: "GET",
		path: "/",
		component: "api",
		summary: "Get the version of the service",
		description: "Browsers get an HTML page, without credentials.",
		answers: { 200: { ...version, content: { ...version.content, ...answerText(["text/html"], "", "<!doctype html>").content } } },
		permission: "authenticated",
		handler: (context) => replyJson({ version: context.version, docs_url: `${toApiUrl(context)}/v1/docs` }),
	}),
];
