import type { EntityKindDefinition } from "./kind.ts";

/** That a rule acted on a trigger instance, or why it could not. A rule that did not match leaves none. */
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
	// Those of an event lie side by side there, which keeps writes cheap. Those of a rule are found by the refs it has had (`rule_ref`).
	unique: [["trigger_instance_id", "rule_id"]],
	indexes: [["enforced_at"], ["rule_ref", "enforced_at", "rule_id"], ["trace_id"]],
	timeline: "enforced_at",
	sparseIndexes: { execution_id: [["execution_id"]] },
	shareable: true,
};
