import { isDeepStrictEqual } from "node:util";
import type { RuleEntity } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { AssertPermitted } from "../../kernel/basics/permission-types.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { toPackRuleRights } from "./rule-rights.ts";
import type { StoredRules } from "./rules.ts";
import type { RuleInput, RuleView } from "./rules-api.ts";

export interface RegisterRuleOptions extends Uses<"storage"> {
	readonly rules: Pick<StoredRules, "create" | "get" | "update">;
	/** Whose the rules of packs are. */
	readonly principal: Principal;
	/** Absent: everything is permitted. */
	readonly assertPermitted?: AssertPermitted;
}

/**
 * Make a rule say what its file does. Whether it is enabled is for its file to say at first, and for operators afterwards: those who
 * override what packs say have the last word. Whoever changed it was its author until now: what it says again is the file's.
 */
export async function registerRule(
	{ storage, rules, principal, assertPermitted }: RegisterRuleOptions,
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

/** Whether a rule is what a file says already. */
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
