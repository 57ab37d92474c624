import type { RuleEnforcementEntity, RuleEntity, Storage, Where } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId, isId } from "../../kernel/basics/ids.ts";
import { insertIfAbsent } from "../../kernel/basics/insert-if-absent.ts";
import { toInCondition } from "../../kernel/basics/pagination.ts";

export type RuleRefsDependencies = Uses<"storage" | "clock">;

type Named = Pick<RuleEntity, "id" | "ref">;

/**
 * Stores each ref under which a rule has acted, once. The enforcements of a rule can then be found by its id after it was renamed or
 * deleted.
 */
export class RuleRefHistory {
	readonly #parts: RuleRefsDependencies;
	/** Ref that was stored last for each rule, by rule id. */
	readonly #stored = new Map<string, string>();
	readonly #storing = new Map<string, Promise<void>>();

	constructor(parts: RuleRefsDependencies) {
		this.#parts = parts;
	}

	/**
	 * Stores the ref of a rule. Must resolve before an enforcement of the rule is stored: otherwise the enforcement cannot be found by the id
	 * of the rule. Returns undefined if the ref is already stored.
	 */
	keep(rule: Named): Promise<void> | undefined {
		if (this.#stored.get(rule.id) === rule.ref) return undefined;
		const key = `${rule.id} ${rule.ref}`;
		const storing = this.#storing.get(key) ?? this.#store(rule).finally(() => this.#storing.delete(key));
		this.#storing.set(key, storing);
		return storing;
	}

	async #store({ id, ref }: Named): Promise<void> {
		const { storage, clock } = this.#parts;
		const entity = { id: createId(clock), rule_id: id, rule_ref: ref };
		if ((await storage.count("rule_ref", { rule_id: id, rule_ref: ref })) === 0) {
			await insertIfAbsent(() => storage.insert("rule_ref", [entity]));
		}
		this.#stored.set(id, ref);
	}
}

/** Returns the condition for the enforcements of a rule that may have been renamed or deleted. */
export async function whereRule(storage: Storage, ruleId: string): Promise<Where<RuleEnforcementEntity>> {
	const [acted, rule] = await Promise.all([
		storage.find("rule_ref", { where: { rule_id: ruleId }, fields: ["rule_ref"] }),
		// Nodes of earlier versions do not store refs.
		isId(ruleId) ? storage.get("rule", ruleId) : undefined,
	]);
	const refs = new Set(acted.map(({ rule_ref }) => rule_ref));
	if (rule !== undefined) refs.add(rule.ref);
	const [only = ""] = refs;
	return { rule_ref: refs.size === 1 ? only : toInCondition([...refs]), rule_id: ruleId };
}
