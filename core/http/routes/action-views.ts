import { extname } from "node:path";
import type { ActionEntity } from "../../contract/index.ts";
import type { Engine } from "../../engine/engine-api.ts";
import { actionListQuery, listActions } from "../action-list.ts";
import { toAction, type WireRecord } from "../records.ts";
import { replyContent, replyJson } from "../respond.ts";
import { defineRoute } from "../route.ts";

const contentTypes: ReadonlyMap<string, string> = new Map([
	[".py", "text/x-python"],
	[".sh", "application/x-sh"],
	[".json", "application/json"],
	[".yaml", "application/x-yaml"],
	[".yml", "application/x-yaml"],
]);

/** Actions together with what comes from their runner types and files. */
export const actionViewRoutes = [
	defineRoute({
		method: "GET",
		path: "/actions/views/parameters/:ref",
		component: "api",
		permission: "action_view",
		async handler({ engine, path }) {
			const action = await engine.actions.get(path["ref"] ?? "");
			return replyJson({ parameters: await engine.actions.mergedParameters(action) });
		},
	}),
	defineRoute({
		method: "GET",
		path: "/actions/views/overview",
		component: "api",
		permission: "action_list",
		query: actionListQuery,
		handler: (context) => listActions(context, (action) => toOverview(context.engine, action)),
	}),
	defineRoute({
		method: "GET",
		path: "/actions/views/overview/:ref",
		component: "api",
		permission: "action_view",
		async handler({ engine, path }) {
			return replyJson(await toOverview(engine, await engine.actions.get(path["ref"] ?? "")));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/actions/views/entry_point/:ref",
		component: "api",
		permission: "action_view",
		async handler({ engine, path }) {
			const file = await engine.actions.entryPoint(path["ref"] ?? "");
			return replyContent(file.text, contentTypes.get(extname(file.path).toLowerCase()) ?? "text/plain");
		},
	}),
];

async function toOverview(engine: Engine, action: ActionEntity): Promise<WireRecord> {
	return { ...toAction(action), parameters: await engine.actions.mergedParameters(action) };
}
