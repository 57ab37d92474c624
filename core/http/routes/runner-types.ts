import { defineBody } from "../body.ts";
import { parseIds } from "../execution-filter.ts";
import { pagingQuery, parsePaging, toCountHeaders } from "../paging.ts";
import { toRunnerType } from "../records.ts";
import { replyJson } from "../respond.ts";
import { defineRoute } from "../route.ts";
import { parseSelection, select, selectionQuery } from "../selection.ts";

const defaultLimit = 100;
const members = new Set(["id", "uid", "name", "description", "enabled", "runner_module", "output_key", "runner_parameters"]);
const rules = { known: members, excludable: members, mandatory: ["id"] };

/** The whole record is sent back, of which only this may differ. */
const changeBody = defineBody<{ readonly enabled: boolean }>({ properties: { enabled: { type: "boolean" } }, required: ["enabled"] });

export const runnerTypeRoutes = [
	defineRoute({
		method: "GET",
		path: "/runnertypes",
		component: "api",
		permission: "runner_type_list",
		query: { ...pagingQuery, ...selectionQuery, id: "string", name: "list" },
		async handler(context) {
			const { id, name } = context.query;
			const paging = parsePaging(context, defaultLimit);
			const selection = parseSelection(context.query, rules);
			const filter = { ...(id !== undefined && { id: parseIds(id) }), ...(name !== undefined && { name }) };
			const page = await context.engine.runnerTypes.list(filter, paging);
			const items = page.items.map((runnerType) => select(toRunnerType(runnerType), selection));
			return replyJson(items, 200, toCountHeaders(page.total, paging));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/runnertypes/:name",
		component: "api",
		permission: "runner_type_view",
		async handler({ engine, path }) {
			return replyJson(toRunnerType(await engine.runnerTypes.get(path["name"] ?? "")));
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/runnertypes/:name",
		component: "api",
		permission: "runner_type_modify",
		body: changeBody,
		async handler({ engine, path, body }) {
			return replyJson(toRunnerType(await engine.runnerTypes.setEnabled(path["name"] ?? "", body.enabled)));
		},
	}),
];
