import type { TriggerEntity, TriggerInstanceEntity } from "../../contract/index.ts";
import type { HttpContext } from "../../http/route.ts";
import type { PermissionType } from "../../kernel/basics/permission-types.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";
import type { TriggersFeatureApi } from "./api.ts";
import { toTimerResource, toTriggerResource, toWebhookResource } from "./trigger-resources.ts";
import { toDeletedTitle, toSourceTitle, toTriggerTitle } from "./trigger-titles-exports.ts";
import { timerTypes, triggerRefs } from "./trigger-type-refs-exports.ts";
import type { NamedTrigger } from "./triggers-exports.ts";

type CallerContext = Pick<HttpContext<TriggersFeatureApi>, "engine" | "guard"> & { readonly principal: Principal };
type EventSource = Pick<TriggerInstanceEntity, "trigger" | "trigger_type">;

/**
 * Returns the titles of the triggers of events, by ref. A trigger whose parameters the caller may not view has none. Values of secret
 * parameters are masked. Takes two queries for all triggers, and another one only if the masking of some depends on their types.
 */
export async function readVisibleTitles(caller: CallerContext, events: readonly EventSource[]): Promise<ReadonlyMap<string, string>> {
	const { triggers } = caller.engine.triggers;
	const missing = new Map(events.map(({ trigger, trigger_type }) => [trigger, trigger_type]));
	const named = await triggers.namesOf([...missing.keys()]);
	// The permission to view a webhook depends on its URL, which is a parameter. Read no other parameters that the caller may not view.
	const readable = named.filter((trigger) => trigger.type === triggerRefs.webhook || mayViewParameters(caller, trigger));
	const titles = new Map<string, string>();
	const others: TriggerEntity[] = [];
	for (const trigger of await triggers.listByRef(readable.map(({ ref }) => ref))) {
		if (trigger.type === triggerRefs.webhook && !mayViewParameters(caller, trigger)) continue;
		const title = toSourceTitle(trigger);
		if (title === undefined) others.push(trigger);
		else titles.set(trigger.ref, title);
	}
	for (const trigger of await triggers.mask(others)) titles.set(trigger.ref, toTriggerTitle(trigger));
	for (const { ref } of named) missing.delete(ref);
	// The title of a deleted trigger contains no more than its type, which the event shows.
	for (const [ref, type] of missing) titles.set(ref, toDeletedTitle(type));
	return titles;
}

/** Maximum number of rules that a webhook or a timer names. */
const maxRules = 100;

/**
 * Returns the refs of the rules that use triggers and that the caller may view, by the ref of the trigger; at most 100 for each trigger.
 * Takes one query. Interrupts the work for other requests, because a trigger may have many rules.
 */
export async function readVisibleRules(
	{ engine, guard, principal }: CallerContext,
	triggers: readonly Pick<TriggerEntity, "ref">[],
): Promise<ReadonlyMap<string, readonly string[]>> {
	const isAnyVisible = guard.allows(principal, "rule_list");
	const rules = new Map(triggers.map(({ ref }) => [ref, [] as string[]]));
	for (const { ref, pack, name, trigger } of await engine.triggers.triggers.rulesOf([...rules.keys()])) {
		const visible = rules.get(trigger);
		if (visible === undefined || visible.length >= maxRules) continue;
		await waitForLoopBudget();
		if (isAnyVisible || guard.allows(principal, "rule_view", { uid: `rule:${pack}:${name}`, pack })) visible.push(ref);
	}
	return rules;
}

/** Returns true if a route for triggers, webhooks or timers shows the caller the parameters of the trigger. */
function mayViewParameters(
	{ guard, principal }: Pick<CallerContext, "guard" | "principal">,
	{ type, pack, name, parameters = {} }: NamedTrigger & Partial<Pick<TriggerEntity, "parameters">>,
): boolean {
	const may = (permission: PermissionType, resource?: Resource) => guard.allows(principal, permission, resource);
	if (may("trigger_list") || may("trigger_view", toTriggerResource("view", { type, pack, name }))) return true;
	if (type === triggerRefs.webhook) return may("webhook_list") || may("webhook_view", toWebhookResource(String(parameters["url"] ?? "")));
	return timerTypes.includes(type) && (may("timer_list") || may("timer_view", toTimerResource({ pack, name })));
}
