import { isDeepStrictEqual } from "node:util";
import type { RuleEntity } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { AssertPermitted } from "../../kernel/basics/permission-types.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { toPackRuleRights } from "./required-rule-permissions.ts";
import type { StoredRules } from "./rules.ts";
import type { RuleInput, RuleView } from "./rules-exports.ts";

export interface RegisterRuleDependencies extends Uses<"storage"> {
	readonly rules: Pick<StoredRules, "create" | "get" | "update">;
	/** Author of the rules of packs. */
	readonly principal: Principal;
	/** Checks the permissions that the rule requires. Default: everything is permitted. */
	readonly assertPermitted?: AssertPermitted;
}

/**
 * Creates or updates a rule from its file. The file determines whether a new rule is enabled; later only operators change that. If an
 * operator's override sets the value, the override applies. After a user has changed the rule, registering it again restores the contents
 * of the file and makes the pack's principal its author.
 */
export async function registerRule(
	{ storage, rules, principal, assertPermitted }: RegisterRuleDependencies,
	input: RuleInput & { readonly pack: string },
	isOverridden: boolean,
): Promise<void> {
	const ref = `${input.pack}.${input.name}`;
	const [known] = await storage.find("rule", { where: { ref }, limit: 1 });
	const assertMayWrite = () => assertPermitted?.(toPackRuleRights(input));
	if (known === undefined) {
		assertMayWrite();
		await rules.create(input, principal);
	} else {
		const enabled = isOverridden ? input.enabled === true : known.enabled;
		if (known.enabled === enabled && isOf(known, principal) && says(await rules.get(ref), input)) return;
		assertMayWrite();
		await rules.update(ref, { ...input, enabled }, principal);
	}
}

function isOf({ user, scopes }: Pick<RuleEntity, "user" | "scopes">, { username }: Principal): boolean {
	return user === username && scopes === null;
}

/** Returns true if the rule already equals the contents of the file. */
function says({ rule, trigger }: RuleView, input: RuleInput): boolean {
	const { description = "", type, criteria = {}, action, tags = [], metadata_file } = input;
	return isDeepStrictEqual(
		[
			rule.description,
			rule.type,
			rule.type_parameters,
			rule.criteria,
			rule.action_ref,
			rule.action_parameters,
			rule.tags,
			rule.metadata_file,
			rule.trigger_type,
			trigger?.parameters,
		],
		[
			description,
			type?.ref ?? "standard",
			type?.parameters ?? {},
			criteria,
			action.ref,
			action.parameters ?? {},
			tags,
			metadata_file ?? null,
			input.trigger.type,
			input.trigger.parameters ?? {},
		],
	);
}
