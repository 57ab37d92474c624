import { isSvcError } from "../../contract/index.ts";
import { type RegisterRuleOptions, registerRule } from "./register-rule.ts";
import type { RuleInput, Rules } from "./rules-api.ts";

/** Rules that the service itself creates in one of its packs. */
export interface OwnRules {
	readonly pack: string;
	/** Pattern of their names. A rule of the pack with such a name is removed if it is not in `rules`. */
	readonly name: RegExp;
	readonly rules: readonly RuleInput[];
}

/** Registers the service's own rules and removes the ones that it no longer needs. */
export async function registerOwnRules(
	parts: RegisterRuleOptions & { readonly rules: Pick<Rules, "remove"> },
	{ pack, name, rules }: OwnRules,
): Promise<void> {
	const wanted = new Set(rules.map((rule) => rule.name));
	const known = await parts.storage.find("rule", { where: { pack }, fields: ["ref", "name"] });
	for (const { ref, name: found } of known) if (name.test(found) && !wanted.has(found)) await parts.rules.remove(ref);
	for (const rule of rules) {
		await registerRule(parts, { ...rule, pack }, false).catch((error: unknown) => {
			// Another node that starts at the same time has created the same rule.
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		});
	}
}
