import type { Logger, TriggerInstanceEntity } from "../../contract/index.ts";
import type { Authority } from "../../kernel/basics/authority.ts";
import type { Access } from "../access/access-api.ts";
import { toNeeds } from "../triggers/told-records-api.ts";
import type { IndexedRule } from "./rule-index.ts";

export interface PermittedParts {
	readonly access: Access;
	readonly authority: Authority;
	readonly logger: Logger;
}

/**
 * The rules whose authors may see what an event tells of. A rule hands the payload to an action: whoever may make one would otherwise
 * be given every result, and every user's items of the datastore.
 */
export async function keepPermitted(
	rules: readonly IndexedRule[],
	instance: TriggerInstanceEntity,
	{ access, authority, logger }: PermittedParts,
): Promise<readonly IndexedRule[]> {
	const needs = access.enabled && rules.length > 0 ? toNeeds(instance) : [];
	if (needs.length === 0) return rules;
	const permitted = new Map<string, boolean>();
	for (const author of new Set(rules.map(({ rule }) => rule.user))) {
		const principal = await authority.principalOf(author);
		permitted.set(
			author,
			needs.every((need) => access.allows(principal, ...need)),
		);
	}
	return rules.filter(({ rule }) => {
		if (permitted.get(rule.user)) return true;
		logger.debug("rule left out, its author may not see what the event tells of", { rule: rule.ref, trigger_instance_id: instance.id });
		return false;
	});
}
