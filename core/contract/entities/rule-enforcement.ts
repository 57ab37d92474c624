import type { EntityKindDefinition } from "./kind.ts";

/** Record of a rule that acted on a trigger instance, or failed to. A rule that did not match leaves no record. */
export interface RuleEnforcementEntity {
	readonly id: string;
	readonly rule_id: string;
	readonly rule_ref: string;
	readonly trigger_instance_id: string;
	readonly execution_id: string | null;
	readonly status: "succeeded" | "failed";
	readonly enforced_at: string;
	readonly trace_id: string;
	readonly failure_reason: string | null;
}

export const ruleEnforcementKind: EntityKindDefinition<RuleEnforcementEntity> = {
	fields: {
		id: "text",
		rule_id: "text",
		rule_ref: "text",
		trigger_instance_id: "text",
		execution_id: "text",
		status: "text",
		enforced_at: "text",
		trace_id: "text",
		failure_reason: "text",
	},
	// Enforcements of one event are adjacent in this index, which keeps writes cheap. Enforcements of a rule are found by all refs that the
	// rule has had (`rule_ref`).
	unique: [["trigger_instance_id", "rule_id"]],
	indexes: [["enforced_at"], ["rule_ref", "enforced_at", "rule_id"], ["trace_id"]],
	timeline: "enforced_at",
	sparseIndexes: { execution_id: [["execution_id"]] },
	shareable: true,
};
