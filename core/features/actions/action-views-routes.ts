import { extname } from "node:path";
import { actionParameterSchema } from "../../http/openapi/action-parameter-schema.ts";
import { answerJson, answerSelectedPage, answerText } from "../../http/openapi/responses.ts";
import { objectSchema } from "../../http/openapi/schema-builders.ts";
import { secretsQuery } from "../../http/record-visibility.ts";
import { replyContent, replyJson } from "../../http/replies.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import { actionListQuery, listActions } from "./action-list.ts";
import { toOverviews } from "./action-replies.ts";
import type { ActionRouteServices } from "./route-services.ts";
import { findActionResource, toRef } from "./routes.ts";
import { actionPart, actionSchema } from "./schemas-exports.ts";

const { defineRoute } = createRouteDeclarations<ActionRouteServices>();

const contentTypes: ReadonlyMap<string, string> = new Map([
	[".py", "text/x-python"],
	[".sh", "application/x-sh"],
	[".json", "application/json"],
	[".yaml", "application/x-yaml"],
	[".yml", "application/x-yaml"],
]);

const entryPointTypes = [...new Set([...contentTypes.values(), "text/plain"])];

/** Routes for actions combined with the parameters of their runner types, and for their entry points. */
export const actionViewRoutes = [
	defineRoute({
		method: "GET",
		path: "/actions/views/parameters/:ref",
		summary: "Get the parameters of an action including those of its runner",
		answers: { 200: answerJson(objectSchema({ parameters: actionParameterSchema })) },
		permission: "action_view",
		resource: findActionResource,
		query: secretsQuery,
		async handler(context) {
			const [overview] = await toOverviews(context, [await context.engine.actions.get(toRef(context))]);
			return replyJson({ parameters: overview?.["parameters"] });
		},
	}),
	defineRoute({
		method: "GET",
		path: "/actions/views/overview",
		summary: "List actions including the parameters of their runners",
		answers: { 200: answerSelectedPage(actionSchema, actionPart) },
		permission: "action_list",
		query: actionListQuery,
		handler: (context) => listActions(context, (actions) => toOverviews(context, actions)),
	}),
	defineRoute({
		method: "GET",
		path: "/actions/views/overview/:ref",
		summary: "Get an action including the parameters of its runner",
		answers: { 200: answerJson(actionSchema) },
		permission: "action_view",
		resource: findActionResource,
		query: secretsQuery,
		async handler(context) {
			const [overview] = await toOverviews(context, [await context.engine.actions.get(toRef(context))]);
			return replyJson(overview);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/actions/views/entry_point/:ref",
		summary: "Get the script of an action",
		answers: { 200: answerText(entryPointTypes, "The script. The content type follows from the file name.", "uptime") },
		permission: "action_view",
		resource: findActionResource,
		async handler(context) {
			const file = await context.engine.actions.entryPoint(toRef(context));
			return replyContent(file.text, contentTypes.get(extname(file.path).toLowerCase()) ?? "text/plain");
		},
	}),
];
