import type { RuleEntity, TriggerInstanceEntity } from "../../contract/index.ts";
import { type Principal, withScopes } from "../../kernel/basics/principal.ts";
import type { EventHandler } from "../../kernel/events/event-handler.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Access } from "../access/access-exports.ts";
import { toRequiredPermissions } from "../triggers/payload-permissions-exports.ts";
import type { TriggerInstances } from "../triggers/triggers-exports.ts";
import { Enforcer } from "./enforcer.ts";
import { lookFirst } from "./inline-evaluation.ts";
import { createLoopGuard } from "./loop-guard.ts";
import { type IndexedRule, RuleIndex } from "./rule-index.ts";
import { RuleMetrics } from "./rule-metrics.ts";
import { processInstance, type RuleProcessorDependencies } from "./rule-processor.ts";
import { RuleRefHistory } from "./rule-ref-history.ts";
import { RuleSecrets } from "./rule-secrets.ts";
import { RuleSnapshots } from "./rule-snapshots.ts";
import { createRuleTriggers } from "./rule-triggers.ts";
import { StoredRules } from "./rules.ts";

export interface RuleServicesOptions extends Kernel {
	readonly maskPayloads: TriggerInstances["maskPayloads"];
	readonly access: Access;
}

/** Creates the rules, and the handler that evaluates them for events. */
export function createRuleServices(parts: RuleServicesOptions) {
	const { options } = parts;
	// The executions of rules, and the rules of packs, belong to this principal. It is an administrator, because the permissions of authors
	// were checked when the rules were written.
	const principal: Principal = { username: options.system_user.user, isAdmin: true, authentication: { method: "none" } };
	const rules = new StoredRules({ ...parts, triggers: createRuleTriggers(parts), secrets: new RuleSecrets(parts) });
	const index = new RuleIndex(parts);
	const { templateSources } = parts;
	const processing = {
		...parts,
		rules: index,
		metrics: new RuleMetrics(parts.hub),
		enforcer: new Enforcer({
			...parts,
			guard: createLoopGuard(parts),
			snapshots: new RuleSnapshots(parts),
			refs: new RuleRefHistory(parts),
			principal,
		}),
		// Patterns use the same access as parameters: rules act as the system user and read the items that their authors may view.
		datastoreOf: ({ user, scopes }: Pick<RuleEntity, "user" | "scopes">) =>
			templateSources.items.accessFor(templateSources.systemUser, { author: user, scopes }),
		keepPermitted: ((indexed, instance) => keepPermitted(indexed, instance, parts)) satisfies RuleProcessorDependencies["keepPermitted"],
	};
	const reactor: EventHandler = {
		isTriggerUsed: (trigger) => index.isListenedTo(trigger),
		evaluateInline: (instance) => lookFirst(instance, processing),
		handle: (instance, lease) => processInstance(instance, lease, processing),
	};
	return { rules, reactor, principal };
}

/**
 * Returns the rules whose authors may view the contents of an event, within the scopes of the API key with which they wrote the rule. A
 * rule passes the payload to an action. Without this check, users who may create rules could read every result and every user's datastore
 * items.
 */
async function keepPermitted(
	rules: readonly IndexedRule[],
	instance: TriggerInstanceEntity,
	{ access, authority, logger }: Pick<RuleServicesOptions, "access" | "authority" | "logger">,
): Promise<readonly IndexedRule[]> {
	// Without access control users may view everything, but API keys are still limited to their scopes.
	const isLimited = rules.length > 0 && (access.enabled || rules.some(({ rule }) => rule.scopes !== null));
	const needs = isLimited ? toRequiredPermissions(instance) : [];
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
		logger.debug("rule skipped: its author may not view the event", { rule: rule.ref, trigger_instance_id: instance.id });
		return false;
	});
}

function toWriterKey({ user, scopes }: RuleEntity): string {
	return JSON.stringify([user, scopes]);
}
