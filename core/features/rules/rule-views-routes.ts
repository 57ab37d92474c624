import { type JsonObject, SvcError } from "../../contract/index.ts";
import { defineBody } from "../../http/body.ts";
import { parseSelection } from "../../http/field-selection.ts";
import { answerFault, answerJson, answerSelectedPage, describeList } from "../../http/openapi/responses.ts";
import { parsePaging } from "../../http/paging.ts";
import { secretsQuery } from "../../http/record-visibility.ts";
import { replyJson } from "../../http/replies.ts";
import { replyList } from "../../http/reply-list.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import { toActionResource } from "../../kernel/basics/refs.ts";
import { ruleSchema } from "../executions/rule-schema-exports.ts";
import { assertMayViewPayload } from "../triggers/visible-payloads-exports.ts";
import type { RuleRouteServices } from "./route-services.ts";
import { findRuleResource, requiredRuleProperties, ruleProperties, toRef, toRuleResource } from "./routes.ts";
import { toRule } from "./rule-api-records.ts";
import { ruleListQuery, ruleSelection, toRuleFilter, toShownRules } from "./rule-list-query.ts";
import { ruleTypes } from "./rule-types.ts";
import type { RuleInput, RuleView } from "./rules-exports.ts";
import { rulePart, ruleTestSchema, ruleTypeSchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<RuleRouteServices>();

const text = { type: "string" };

interface TestBody {
	readonly rule: string | RuleInput;
	readonly trigger_instance: string | { readonly trigger: string; readonly payload?: JsonObject };
}

const testBody = defineBody<TestBody>({
	properties: {
		rule: { type: ["string", "object"], properties: ruleProperties, required: requiredRuleProperties },
		trigger_instance: {
			type: ["string", "object"],
			properties: { trigger: text, payload: { type: "object" } },
			required: ["trigger"],
			additionalProperties: false,
		},
	},
	required: ["rule", "trigger_instance"],
	closed: true,
});

/** Routes for rules with descriptions, for the types of rules, and for tests of rules. */
export const ruleViewRoutes = [
	defineRoute({
		method: "GET",
		path: "/rules/views",
		summary: "List rules with the descriptions of their triggers and actions",
		description: "Returns all rules unless `limit` is given.",
		answers: { 200: answerSelectedPage(ruleSchema, rulePart) },
		permission: "rule_list",
		query: ruleListQuery,
		async handler(context) {
			const paging = parsePaging(context);
			const selection = parseSelection(context.query, ruleSelection);
			const page = await context.engine.rules.list(toRuleFilter(context.query), paging);
			return replyList({ ...page, items: await toDescribed(context, page.items) }, paging, selection);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/rules/views/:ref",
		summary: "Get a rule with the descriptions of its trigger and action",
		answers: { 200: answerJson(ruleSchema) },
		permission: "rule_view",
		resource: findRuleResource,
		query: secretsQuery,
		async handler(context) {
			const [record] = await toDescribed(context, [await context.engine.rules.get(toRef(context))]);
			return replyJson(record);
		},
	}),
	defineRoute({
		method: "POST",
		path: "/rules/test",
		summary: "Test a rule with an event",
		description: "Stores and starts nothing.",
		answers: { 200: answerJson(ruleTestSchema), 404: answerFault("The rule or the event does not exist.") },
		permission: "rule_view",
		resource: ({ engine, body: { rule } }) =>
			typeof rule === "string" ? findRuleResource({ engine, path: { ref: rule } }) : toRuleResource(rule.pack, rule.name),
		body: testBody,
		async handler(context) {
			const { engine, guard, principal, body } = context;
			const { rule, trigger_instance: event } = body;
			if (typeof rule !== "string") {
				// The templates of a given rule could read datastore items, so the caller needs the permissions to create that rule.
				guard.assert(principal, "rule_create", toRuleResource(rule.pack, rule.name));
				guard.assert(principal, "action_execute", toActionResource(rule.action.ref));
			}
			if (typeof event === "string") await assertMayViewPayload(context, event);
			const triggerInstance = typeof event === "string" ? event : { trigger: event.trigger, payload: event.payload ?? {} };
			return replyJson(await engine.rules.test({ rule, triggerInstance }, principal));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/ruletypes",
		summary: "List rule types",
		answers: { 200: describeList(ruleTypeSchema) },
		permission: "rule_type_list",
		handler: () => replyJson(ruleTypes),
	}),
	defineRoute({
		method: "GET",
		path: "/ruletypes/:id",
		summary: "Get a rule type by its id or name",
		answers: { 200: answerJson(ruleTypeSchema) },
		permission: "rule_type_view",
		resource: (context) => ({ uid: `rule_type:${findRuleType(context).name}` }),
		handler: (context) => replyJson(findRuleType(context)),
	}),
];

function findRuleType({ path }: Pick<RouteContext, "path">) {
	const found = ruleTypes.find(({ id, name }) => id === path["id"] || name === path["id"]);
	if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `rule type "${path["id"]}" cannot be found`);
	return found;
}

/** Returns rules with the descriptions of their triggers and actions. A description is empty if the trigger or action does not exist. */
async function toDescribed(
	context: RouteContext<RuleRouteServices, typeof secretsQuery>,
	views: readonly RuleView[],
): Promise<WireRecord[]> {
	const shown = await toShownRules(context, views);
	const descriptions = await readDescriptions(context.engine, views);
	const problems = await context.engine.rules.problems(views);
	return shown.map((view) => {
		const record = toRule(view, problems.get(view.rule.id));
		return {
			...record,
			trigger: { ...record.trigger, description: view.trigger?.description ?? "" },
			action: { ...record.action, description: descriptions.get(view.rule.action_ref) ?? "" },
		};
	});
}

async function readDescriptions({ actions }: RuleRouteServices, views: readonly RuleView[]): Promise<ReadonlyMap<string, string>> {
	const refs = [...new Set(views.map(({ rule }) => rule.action_ref))];
	const found = await Promise.all(refs.map((ref) => actions.get(ref).catch(() => undefined)));
	return new Map(found.flatMap((action) => (action === undefined ? [] : [[action.ref, action.description] as const])));
}
