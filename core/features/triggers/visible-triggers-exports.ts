import type { TriggerEntity, TriggerInstanceEntity } from "../../contract/index.ts";
import type { HttpContext } from "../../http/route.ts";
import type { PermissionType } from "../../kernel/basics/permission-types.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { type Resource, splitRef } from "../../kernel/basics/refs.ts";
import type { TriggersFeatureApi } from "./api.ts";
import { toTriggerResource } from "./trigger-resources.ts";
import { toDeletedTitle, toSourceTitle, toTriggerTitle } from "./trigger-titles-exports.ts";
import { timerTypes, toHookUrl, triggerRefs } from "./trigger-type-refs-exports.ts";

type CallerContext = Pick<HttpContext<TriggersFeatureApi>, "engine" | "guard"> & { readonly principal: Principal };
type EventSource = Pick<TriggerInstanceEntity, "trigger" | "trigger_type">;

/**
 * Returns the titles of the triggers of events, by ref. A trigger whose parameters the caller may not view has none. Values of secret
 * parameters are masked. Takes one query for all triggers, and another one only if the masking of some depends on their types.
 */
export async function readVisibleTitles(caller: CallerContext, events: readonly EventSource[]): Promise<ReadonlyMap<string, string>> {
	const { triggers } = caller.engine.triggers;
	const types = new Map(events.map(({ trigger, trigger_type }) => [trigger, trigger_type]));
	const stored = await triggers.listByRef([...types.keys()]);
	const visible = stored.filter((trigger) => !hasParameters(trigger) || mayViewParameters(caller, trigger));
	const mayContainSecret = (trigger: TriggerEntity) => hasParameters(trigger) && toSourceTitle(trigger) === undefined;
	const masked = await triggers.mask(visible.filter(mayContainSecret));
	for (const { ref } of stored) types.delete(ref);
	const deleted = [...types].filter(([ref, type]) => mayViewParameters(caller, { ...splitRef(ref), type, parameters: {} }));
	return new Map([
		...[...visible.filter((trigger) => !mayContainSecret(trigger)), ...masked].map(
			(trigger) => [trigger.ref, toTriggerTitle(trigger)] as const,
		),
		...deleted.map(([ref, type]) => [ref, toDeletedTitle(type)] as const),
	]);
}

/** Returns the refs of the rules that use triggers and that the caller may view, by the ref of the trigger. Takes one query. */
export async function readVisibleRules(
	{ engine, guard, principal }: CallerContext,
	triggers: readonly Pick<TriggerEntity, "ref">[],
): Promise<ReadonlyMap<string, readonly string[]>> {
	const isAnyVisible = guard.allows(principal, "rule_list");
	const rules = new Map<string, string[]>();
	for (const { ref, pack, name, trigger } of await engine.triggers.triggers.rulesOf(triggers.map((one) => one.ref))) {
		if (!isAnyVisible && !guard.allows(principal, "rule_view", { uid: `rule:${pack}:${name}`, pack })) continue;
		const known = rules.get(trigger);
		if (known === undefined) rules.set(trigger, [ref]);
		else known.push(ref);
	}
	return rules;
}

function hasParameters({ parameters }: TriggerEntity): boolean {
	return Object.keys(parameters).length > 0;
}

/** Returns true if a route for triggers, webhooks or timers shows the caller the parameters of the trigger. */
function mayViewParameters(
	{ guard, principal }: Pick<CallerContext, "guard" | "principal">,
	{ type, pack, name, parameters }: Pick<TriggerEntity, "type" | "pack" | "name" | "parameters">,
): boolean {
	const may = (permission: PermissionType, resource?: Resource) => guard.allows(principal, permission, resource);
	if (may("trigger_list") || may("trigger_view", toTriggerResource("view", { type, pack, name }))) return true;
	if (type === triggerRefs.webhook)
		return may("webhook_list") || may("webhook_view", { uid: `webhook:${toHookUrl(String(parameters["url"] ?? ""))}` });
	return timerTypes.includes(type) && (may("timer_list") || may("timer_view", { uid: `timer:${pack}:${name}` }));
}
