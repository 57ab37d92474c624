import type { EntityKindDefinition } from "./kind.ts";

/**
 * A ref under which a rule has acted. It is stored before the first enforcement under this ref, so that the enforcements of a rule are
 * found after the rule was renamed or removed.
 */
export interface RuleRefHistoryEntity {
	readonly id: string;
	readonly rule_id: string;
	readonly rule_ref: string;
}

export const ruleRefKind: EntityKindDefinition<RuleRefHistoryEntity> = {
	fields: { id: "text", rule_id: "text", rule_ref: "text" },
	unique: [["rule_id", "rule_ref"]],
};
