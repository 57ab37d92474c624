import { replyContent, replyJson } from "../replies.ts";
import { createRouteDeclarations } from "../route.ts";
import { pageHeaders } from "./page.ts";
import { answerJson, answerText } from "./responses.ts";
import { jsonObject } from "./schema.ts";

const { defineRoute } = createRouteDeclarations<unknown>();

/**
 * Routes of the API description. They are public, because programs that generate clients and people who read it have no credential
 * yet. The description contains no data.
 */
export const openapiRoutes = [
	defineRoute({
		method: "GET",
		path: "/openapi.json",
		component: "api",
		permission: "public",
		summary: "Describe the API as OpenAPI 3.1",
		answers: { 200: answerJson(jsonObject, { description: "This description.", example: { openapi: "3.1.0" } }), 500: undefined },
		handler: ({ description }) => replyJson(description.document()),
	}),
	defineRoute({
		method: "GET",
		path: "/docs",
		component: "api",
		permission: "public",
		summary: "Describe the API as a page",
		answers: { 200: answerText(["text/html"], "The page.", "<!doctype html>"), 500: undefined },
		handler: ({ description }) => replyContent(description.page(), "text/html; charset=UTF-8", pageHeaders),
	}),
];
