import type { Logger, RuleEntity, TriggerInstanceEntity } from "../../contract/index.ts";
import { type Authority, withScopes } from "../../kernel/basics/principal.ts";

import type { Access } from "../access/access-api.ts";
import { toNeeds } from "../triggers/told-records-api.ts";
import type { IndexedRule } from "./rule-index.ts";

export interface PermittedParts {
	readonly access: Access;
	readonly authority: Authority;
	readonly logger: Logger;
}

/**
 * The rules whose authors may see the content of an event, within the scopes of the API key that they wrote the rule with. A rule hands the
 * payload to an action: a user who may make rules would otherwise be given every result, and every user's items of the datastore.
 */
export async function keepPermitted(
	rules: readonly IndexedRule[],
	instance: TriggerInstanceEntity,
	{ access, authority, logger }: PermittedParts,
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
