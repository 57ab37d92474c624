import { defineBody } from "../../http/body.ts";
import { isSelected, parseSelection } from "../../http/field-selection.ts";
import { answerConflict, answerJson, answerNothing, answerSelectedPage } from "../../http/openapi/responses.ts";
import { parsePaging } from "../../http/paging.ts";
import type { QuerySchema } from "../../http/query.ts";
import { secretsQuery } from "../../http/record-visibility.ts";
import { type Reply, replyJson, replyNoContent } from "../../http/replies.ts";
import { replyList } from "../../http/reply-list.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { toWarningHeaders } from "../../http/warnings.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { assertRequired } from "../access/required-permissions-exports.ts";
import { ruleSchema } from "../executions/rule-schema-exports.ts";
import { assertNotFollowed, isSwitchOnly } from "../packs/followed-pack-guard-exports.ts";
import { toRuleRights } from "./required-rule-permissions.ts";
import type { RuleRouteServices } from "./route-services.ts";
import { toRule } from "./rule-api-records.ts";
import { ruleListQuery, ruleSelection, toRuleFilter, toShownRules } from "./rule-list-query.ts";
import type { RuleInput, RuleView } from "./rules-exports.ts";
import { rulePart } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<RuleRouteServices>();

const text = { type: "string" };
const object = { type: "object" };

/** Members of the body of a rule. They include members that only the service sets, because clients send back the record that they read. */
export const ruleProperties = {
	id: text,
	uid: text,
	ref: text,
	context: object,
	name: { ...text, minLength: 1 },
	pack: text,
	description: { type: ["string", "null"] },
	enabled: { type: "boolean" },
	type: { type: "object", properties: { ref: text, parameters: object }, required: ["ref"] },
	trigger: { type: "object", properties: { type: text, parameters: object }, required: ["type"] },
	criteria: object,
	action: {
		type: "object",
		properties: { ref: text, parameters: object, description: text },
		required: ["ref"],
		additionalProperties: false,
	},
	tags: { type: "array", items: object, maxItems: 1_000 },
	metadata_file: { type: ["string", "null"] },
	problems: { type: "array" },
};
export const requiredRuleProperties = ["name", "trigger", "action"];

type RuleBody = Omit<RuleInput, "description" | "metadata_file"> & {
	readonly description?: string | null;
	readonly metadata_file?: string | null;
	/** Present if a client sends back the record that it read. */
	readonly problems?: readonly unknown[];
};
const ruleBody = defineBody<RuleBody>({ properties: ruleProperties, required: requiredRuleProperties, closed: true });

export const ruleRoutes = [
	defineRoute({
		method: "GET",
		path: "/rules",
		summary: "List rules",
		description: "Returns all rules unless `limit` is given.",
		answers: { 200: answerSelectedPage(ruleSchema, rulePart) },
		permission: "rule_list",
		query: ruleListQuery,
		async handler(context) {
			const paging = parsePaging(context);
			const selection = parseSelection(context.query, ruleSelection);
			const page = await context.engine.rules.list(toRuleFilter(context.query), paging);
			const shown = await toShownRules(context, page.items);
			const problems = isSelected(selection, "problems") ? await context.engine.rules.problems(page.items) : undefined;
			const items = shown.map((view) => toRule(view, problems?.get(view.rule.id)));
			return replyList({ ...page, items }, paging, selection);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/rules/:ref",
		summary: "Get a rule",
		answers: { 200: answerJson(ruleSchema) },
		permission: "rule_view",
		resource: findRuleResource,
		query: secretsQuery,
		async handler(context) {
			const { record } = await toRecord(context, await context.engine.rules.get(toRef(context)));
			return replyJson(record);
		},
	}),
	defineRoute({
		method: "POST",
		path: "/rules",
		summary: "Create a rule",
		description: "Also requires `action_execute` on the action and the permission to use the trigger.",
		answers: { 201: answerJson(ruleSchema), 409: answerConflict },
		permission: "rule_create",
		resource: ({ body }) => toRuleResource(body.pack, body.name),
		query: secretsQuery,
		body: ruleBody,
		async handler(context) {
			const { engine, principal, body } = context;
			assertMayUse(context, body.pack ?? "default");
			await assertNotFollowed(engine, body.pack ?? "default");
			return replyWritten(context, await engine.rules.create(toInput(body), principal), 201);
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/rules/:ref",
		summary: "Replace a rule",
		description: "Replaces all fields.",
		answers: { 200: answerJson(ruleSchema), 409: answerConflict },
		permission: "rule_modify",
		resource: findRuleResource,
		query: secretsQuery,
		body: ruleBody,
		async handler(context) {
			const { engine, guard, principal } = context;
			const { problems: _told, ...body } = context.body;
			const view = await engine.rules.get(toRef(context));
			const old = view.rule;
			const target = toRuleResource(body.pack ?? old.pack, body.name);
			// A rule with a new name or pack is another record, which the caller must be permitted to create.
			if (target.uid !== toRuleResource(old.pack, old.name).uid) guard.assert(principal, "rule_create", target);
			assertMayUse(context, body.pack ?? old.pack);
			const [shown = view] = await toShownRules(context, [view]);
			// Change only `enabled`: a full update would overwrite a concurrent update of the rule with old values.
			if (view.trigger !== undefined && isSwitchOnly(withoutTitle(body), withoutTitle(toRule(shown))))
				return replyWritten(context, await engine.rules.switch(toRef(context), body.enabled ?? false, principal));
			await assertNotFollowed(engine, old.pack, body.pack ?? old.pack);
			return replyWritten(context, await engine.rules.update(toRef(context), toInput(body), principal));
		},
	}),
	defineRoute({
		method: "DELETE",
		path: "/rules/:ref",
		summary: "Delete a rule",
		answers: { 204: answerNothing() },
		permission: "rule_delete",
		resource: findRuleResource,
		async handler(context) {
			const { engine } = context;
			await assertNotFollowed(engine, (await engine.rules.get(toRef(context))).rule.pack);
			await engine.rules.remove(toRef(context));
			return replyNoContent();
		},
	}),
];

/** Returns the resource of the rule in the path. */
export async function findRuleResource(context: Pick<RouteContext<RuleRouteServices>, "engine" | "path">): Promise<Resource> {
	const { pack, name } = (await context.engine.rules.get(toRef(context))).rule;
	return toRuleResource(pack, name);
}

/** Returns the ref or id in the path. */
export function toRef({ path }: Pick<RouteContext, "path">): string {
	return path["ref"] ?? "";
}

export function toRuleResource(pack = "default", name: string): Resource {
	return { uid: `rule:${pack}:${name}`, pack };
}

/** Throws `SVC_FORBIDDEN` unless the caller may run the rule's action and receive its events: the rule later acts as the system user. */
function assertMayUse(
	{
		engine,
		guard,
		principal,
		body,
	}: Pick<RouteContext<RuleRouteServices, QuerySchema, RuleBody>, "engine" | "guard" | "principal" | "body">,
	pack: string,
): void {
	const trigger = { ...body.trigger, type: engine.triggers.types.refOf(body.trigger.type) };
	assertRequired(guard, principal, toRuleRights({ pack, ...body, trigger }));
}

/** Returns a rule without the title of its trigger, which clients that send a rule back may leave out. */
function withoutTitle<R extends { readonly trigger: object }>(rule: R): R {
	return { ...rule, trigger: { ...rule.trigger, title: undefined } };
}

function toInput({ name, pack, type, trigger, criteria, action, enabled, tags, description, metadata_file }: RuleBody): RuleInput {
	return {
		name,
		trigger: { type: trigger.type, ...withoutUndefined({ parameters: trigger.parameters }) },
		action: { ref: action.ref, ...withoutUndefined({ parameters: action.parameters }) },
		...withoutUndefined({ pack, type, criteria, enabled, tags }),
		...withoutUndefined({ description: description ?? undefined, metadata_file: metadata_file ?? undefined }),
	};
}

/** Replies with a stored rule, and a warning header if it has problems, which do not prevent storing: an action may be installed later. */
async function replyWritten(context: RouteContext<RuleRouteServices, typeof secretsQuery>, view: RuleView, status = 200): Promise<Reply> {
	const { record, problems } = await toRecord(context, view);
	return replyJson(record, status, toWarningHeaders(problems ?? []));
}

/** Returns the API record of a rule, and its problems; undefined if it has none. */
async function toRecord(context: RouteContext<RuleRouteServices, typeof secretsQuery>, view: RuleView) {
	const [shown = view] = await toShownRules(context, [view]);
	const problems = (await context.engine.rules.problems([view])).get(view.rule.id);
	return { record: toRule(shown, problems), problems };
}
