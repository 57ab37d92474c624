import { defineBody } from "../../http/body.ts";
import { parseSelection, selectionQuery } from "../../http/field-selection.ts";
import { answerJson, answerSelectedPage } from "../../http/openapi/responses.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { parseIds } from "../../http/parse-ids.ts";
import { secretsQuery, toRecordVisibility } from "../../http/record-visibility.ts";
import { replyJson } from "../../http/replies.ts";
import { replyList, selectionRulesOf } from "../../http/reply-list.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { parseSort } from "../../http/sort.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import type { ActionsApi } from "./api.ts";
import { toRunnerType } from "./records-exports.ts";
import { runnerTypePart, runnerTypeSchema } from "./schemas-exports.ts";

const { defineRoute } = createRouteDeclarations<Pick<ActionsApi, "runnerTypes">>();

const defaultLimit = 100;
const members = ["id", "uid", "name", "description", "enabled", "runner_module", "output_key", "runner_parameters"];
const sortFields = new Map<string, "id" | "name">([
	["id", "id"],
	["name", "name"],
]);
const rules = selectionRulesOf(members);

/** Clients send the whole record back; only `enabled` is read from it. */
const changeBody = defineBody<{ readonly enabled: boolean }>({ properties: { enabled: { type: "boolean" } }, required: ["enabled"] });

async function findRunnerTypeResource({
	engine,
	path,
}: Pick<RouteContext<Pick<ActionsApi, "runnerTypes">>, "engine" | "path">): Promise<Resource> {
	return { uid: `runner_type:${(await engine.runnerTypes.get(path["name"] ?? "")).name}` };
}

export const runnerTypeRoutes = [
	defineRoute({
		method: "GET",
		path: "/runnertypes",
		summary: "List runner types",
		answers: { 200: answerSelectedPage(runnerTypeSchema, runnerTypePart) },
		permission: "runner_type_list",
		query: { ...pagingQuery, ...selectionQuery, ...secretsQuery, id: "string", name: "list", sort: "string" },
		async handler(context) {
			const { id, name, sort } = context.query;
			const paging = parsePaging(context, defaultLimit);
			const selection = parseSelection(context.query, rules);
			const filter = { id: id === undefined ? undefined : parseIds(id), name };
			const orderBy = parseSort(sort, sortFields);
			const page = await context.engine.runnerTypes.list(filter, { ...paging, ...(orderBy.length > 0 && { orderBy }) });
			const presentation = toRecordVisibility(context);
			return replyList({ ...page, items: page.items.map((type) => toRunnerType(type, presentation)) }, paging, selection);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/runnertypes/:name",
		summary: "Get a runner type by its name or id",
		answers: { 200: answerJson(runnerTypeSchema) },
		permission: "runner_type_view",
		resource: findRunnerTypeResource,
		query: secretsQuery,
		async handler(context) {
			const runnerType = await context.engine.runnerTypes.get(context.path["name"] ?? "");
			return replyJson(toRunnerType(runnerType, toRecordVisibility(context)));
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/runnertypes/:name",
		summary: "Enable or disable a runner type",
		description: "Only the field `enabled` is used.",
		answers: { 200: answerJson(runnerTypeSchema) },
		permission: "runner_type_modify",
		resource: findRunnerTypeResource,
		query: secretsQuery,
		body: changeBody,
		async handler(context) {
			const runnerType = await context.engine.runnerTypes.setEnabled(context.path["name"] ?? "", context.body.enabled);
			return replyJson(toRunnerType(runnerType, toRecordVisibility(context)));
		},
	}),
];
