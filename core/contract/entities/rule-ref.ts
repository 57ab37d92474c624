import type { EntityKindDefinition } from "./kind.ts";

/** A ref under which a rule has acted, kept before it does so for the first time: a rule can be renamed and removed, what it did stays. */
export interface RuleRefEntity {
	readonly id: string;
	readonly rule_id: string;
	readonly rule_ref: string;
}

export const ruleRefKind: EntityKindDefinition<RuleRefEntity> = {
	fields: { id: "text", rule_id: "text", rule_ref: "text" },
	unique: [["rule_id", "rule_ref"]],
};
