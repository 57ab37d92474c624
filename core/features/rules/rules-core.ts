import type { RuleEntity, TriggerInstanceEntity } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { type Principal, withScopes } from "../../kernel/basics/principal.ts";
import type { EventHandler } from "../../kernel/events/event-handler.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { SubmitOptions } from "../../kernel/submission/submit.ts";
import type { Access } from "../access/access-api.ts";
import { toNeeds } from "../triggers/told-records-api.ts";
import type { TriggerInstances } from "../triggers/triggers-api.ts";
import { Enforcer } from "./enforcer.ts";
import { lookFirst } from "./inline-evaluation.ts";
import { createLoopGuard } from "./loop-guard.ts";
import { type IndexedRule, StoredRuleIndex } from "./rule-index.ts";
import { RuleMetrics } from "./rule-metrics.ts";
import { processInstance, type RuleProcessorOptions } from "./rule-processor.ts";
import { RuleRefs } from "./rule-refs.ts";
import { RuleSecrets } from "./rule-secrets.ts";
import { RuleSnapshots } from "./rule-snapshots.ts";
import { createRuleTriggers, type RuleTriggerOptions } from "./rule-triggers.ts";
import { StoredRules } from "./rules.ts";
import type { Rules } from "./rules-api.ts";

export interface RulesCoreOptions
	extends SubmitOptions,
		Omit<RuleTriggerOptions, "clock">,
		Uses<"options" | "authority">,
		Pick<Kernel, "admitAll" | "changes" | "hub"> {
	readonly maskPayloads: TriggerInstances["maskPayloads"];
	readonly access: Access;
}

/** Rules, and what looks at them. */
export interface RulesCore {
	readonly rules: Rules;
	readonly reactor: EventHandler;
	/** Whom the executions of rules run for, and whose the rules of packs are. */
	readonly principal: Principal;
}

export function createRulesCore(parts: RulesCoreOptions): RulesCore {
	const { options } = parts;
	// Whoever may make rules has been asked when the rule was made.
	const principal: Principal = { username: options.system_user.user, isAdmin: true, authentication: { method: "none" } };
	const rules = new StoredRules({ ...parts, triggers: createRuleTriggers(parts), secrets: new RuleSecrets(parts) });
	const index = new StoredRuleIndex(parts);
	const { templateSources } = parts;
	const processing = {
		...parts,
		rules: index,
		metrics: new RuleMetrics(parts.hub),
		enforcer: new Enforcer({
			...parts,
			guard: createLoopGuard(parts),
			snapshots: new RuleSnapshots(parts),
			refs: new RuleRefs(parts),
			principal,
		}),
		// As for the parameters: rules act for the system, and read what their authors may.
		datastoreOf: ({ user, scopes }: Pick<RuleEntity, "user" | "scopes">) =>
			templateSources.items.accessFor(templateSources.systemUser, { author: user, scopes }),
		keepPermitted: ((indexed, instance) => keepPermitted(indexed, instance, parts)) satisfies RuleProcessorOptions["keepPermitted"],
	};
	return {
		rules,
		reactor: {
			isTriggerUsed: (trigger) => index.isListenedTo(trigger),
			evaluateInline: (instance) => lookFirst(instance, processing),
			handle: (instance, lease) => processInstance(instance, lease, processing),
		},
		principal,
	};
}

interface PermittedActionOptions extends Uses<"authority" | "logger"> {
	readonly access: Access;
}

/**
 * The rules whose authors may see the content of an event, within the scopes of the API key that they wrote the rule with. A rule hands the
 * payload to an action: a user who may make rules would otherwise be given every result, and every user's items of the datastore.
 */
async function keepPermitted(
	rules: readonly IndexedRule[],
	instance: TriggerInstanceEntity,
	{ access, authority, logger }: PermittedActionOptions,
): Promise<readonly IndexedRule[]> {
	// Without access control users may see everything, and keys with scopes what these name.
	const isLimited = rules.length > 0 && (access.enabled || rules.some(({ rule }) => rule.scopes !== null));
	const needs = isLimited ? toNeeds(instance) : [];
	if (needs.length === 0) return rules;
	const permitted = new Map<string, boolean>();
	for (const { rule } of rules) {
		const writer = toWriterKey(rule);
		if (permitted.has(writer)) continue;
		const principal = withScopes(await authority.principalOf(rule.user), rule.scopes);
		permitted.set(
			writer,
			needs.every((need) => access.allows(principal, ...need)),
		);
	}
	return rules.filter(({ rule }) => {
		if (permitted.get(toWriterKey(rule))) return true;
		logger.debug("rule left out, its author may not see what the event tells of", { rule: rule.ref, trigger_instance_id: instance.id });
		return false;
	});
}

function toWriterKey({ user, scopes }: RuleEntity): string {
	return JSON.stringify([user, scopes]);
}
