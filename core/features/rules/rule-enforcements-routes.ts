import type { RuleEnforcementEntity } from "../../contract/index.ts";
import { parseSelection, type SelectionRules, selectionQuery, selectMembers } from "../../http/field-selection.ts";
import { parseFilterValues } from "../../http/filter-values.ts";
import { answerJson, answerSelectedPage, answerTooMany } from "../../http/openapi/responses.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { parseIds } from "../../http/parse-ids.ts";
import { presentRecords, type RecordVisibility, secretsQuery, toRecordVisibility } from "../../http/record-visibility.ts";
import { type Reply, replyJson } from "../../http/replies.ts";
import { selectionRulesOf } from "../../http/reply-list.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { parseSort } from "../../http/sort.ts";
import { replyPageOrAll } from "../../http/streamed-list.ts";
import { parseTimeRange } from "../../http/time-range.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import { type Resource, splitRef } from "../../kernel/basics/refs.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { toExecution } from "../executions/records-exports.ts";
import { withVisiblePayloads } from "../triggers/visible-payloads-exports.ts";
import type { RuleRouteServices } from "./route-services.ts";
import { toRuleResource } from "./routes.ts";
import { toEnforcement } from "./rule-api-records.ts";
import type { EnforcementFilter } from "./rules-exports.ts";
import { enforcementPart, enforcementSchema, enforcementViewPart, enforcementViewSchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<RuleRouteServices>();

const defaultLimit = 50;
const members = ["id", "trigger_instance_id", "execution_id", "failure_reason", "rule", "enforced_at", "status"];
const rules = selectionRulesOf(members);
const viewRules = selectionRulesOf([...members, "trigger_instance", "execution"]);
const sortFields = new Map<string, keyof RuleEnforcementEntity>([
	["id", "id"],
	["rule_ref", "rule_ref"],
	["rule_id", "rule_id"],
	["execution", "execution_id"],
	["trigger_instance", "trigger_instance_id"],
	["enforced_at", "enforced_at"],
]);
const listQuery = {
	...pagingQuery,
	...selectionQuery,
	...secretsQuery,
	id: "string",
	rule_ref: "string",
	rule_id: "string",
	execution: "string",
	trigger_instance: "string",
	status: "list",
	enforced_at_gt: "string",
	enforced_at_lt: "string",
	sort: "string",
} as const;

/** Routes for the enforcements of rules. */
export const ruleEnforcementRoutes = [
	defineRoute({
		method: "GET",
		path: "/ruleenforcements/views",
		summary: "List rule enforcements with events and executions",
		answers: { 200: answerSelectedPage(enforcementViewSchema, enforcementViewPart), 429: answerTooMany },
		permission: "rule_enforcement_list",
		query: listQuery,
		handler(context) {
			const presentation = toRecordVisibility(context);
			return list(context, viewRules, (enforcements) => toViews(context, enforcements, presentation));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/ruleenforcements/views/:id",
		summary: "Get a rule enforcement with event and execution",
		answers: { 200: answerJson(enforcementViewSchema) },
		permission: "rule_enforcement_view",
		resource: findEnforcementResource,
		query: secretsQuery,
		async handler(context) {
			const [record] = await toViews(context, [await context.engine.enforcements.get(toId(context))], toRecordVisibility(context));
			return replyJson(record);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/ruleenforcements",
		summary: "List rule enforcements, newest first",
		description: "Pages of 50 by default.",
		answers: { 200: answerSelectedPage(enforcementSchema, enforcementPart), 429: answerTooMany },
		permission: "rule_enforcement_list",
		query: listQuery,
		handler(context) {
			return list(context, rules, (enforcements) => enforcements.map(toEnforcement));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/ruleenforcements/:id",
		summary: "Get a rule enforcement",
		answers: { 200: answerJson(enforcementSchema) },
		permission: "rule_enforcement_view",
		resource: findEnforcementResource,
		async handler(context) {
			return replyJson(toEnforcement(await context.engine.enforcements.get(toId(context))));
		},
	}),
];

function toId({ path }: Pick<RouteContext, "path">): string {
	return path["id"] ?? "";
}

/** Returns the resource of an enforcement for permission checks, which is its rule. */
async function findEnforcementResource(context: Pick<RouteContext<RuleRouteServices>, "engine" | "path">): Promise<Resource> {
	const { pack, name } = splitRef((await context.engine.enforcements.get(toId(context))).rule_ref);
	return toRuleResource(pack, name);
}

function list(
	context: RouteContext<RuleRouteServices, typeof listQuery>,
	selectable: SelectionRules,
	toRecords: (enforcements: readonly RuleEnforcementEntity[]) => readonly WireRecord[] | Promise<readonly WireRecord[]>,
): Promise<Reply> {
	const paging = parsePaging(context, defaultLimit);
	const selection = parseSelection(context.query, selectable);
	const orderBy = parseSort(context.query.sort, sortFields);
	const filter = toFilter(context.query);
	return replyPageOrAll(context, paging, async (part) => {
		const page = await context.engine.enforcements.list(filter, { ...part, ...(orderBy.length > 0 && { orderBy }) });
		return { ...page, items: (await toRecords(page.items)).map((record) => selectMembers(record, selection)) };
	});
}

function toFilter(query: RouteContext<RuleRouteServices, typeof listQuery>["query"]): EnforcementFilter {
	const { id, rule_ref, rule_id, execution, trigger_instance, enforced_at_gt: gt, enforced_at_lt: lt } = query;
	const status = parseFilterValues("status", query.status, ["succeeded", "failed"]);
	const enforced_at = parseTimeRange("enforced_at", { gt, lt });
	return {
		...(id !== undefined && { id: parseIds(id) }),
		...withoutUndefined({ rule_ref, rule_id, execution_id: execution, trigger_instance_id: trigger_instance, status, enforced_at }),
	};
}

async function toViews(
	context: RouteContext<RuleRouteServices, typeof secretsQuery>,
	enforcements: readonly RuleEnforcementEntity[],
	presentation: RecordVisibility,
): Promise<readonly WireRecord[]> {
	const details = await context.engine.enforcements.details(enforcements);
	const instances = details.flatMap(({ instance }) => instance ?? []);
	const shown = await withVisiblePayloads(context, instances, presentation);
	const byId = new Map(instances.map(({ id }, index) => [id, shown[index]]));
	return presentRecords(details, ({ enforcement, execution }) => ({
		...toEnforcement(enforcement),
		trigger_instance: byId.get(enforcement.trigger_instance_id) ?? {},
		execution: execution === undefined ? {} : toExecution(execution, presentation),
	}));
}
