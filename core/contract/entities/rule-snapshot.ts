import type { EntityKindDefinition } from "./kind.ts";
import type { RuleEntity } from "./rule.ts";
import type { TriggerEntity } from "./trigger.ts";
import type { TriggerTypeEntity } from "./trigger-type.ts";

/** Rule, trigger and trigger type as they were when the rule acted; the id is derived from the content, so equal ones are kept once. */
export interface RuleSnapshotEntity {
	readonly id: string;
	readonly rule: RuleEntity;
	/** Null when it was removed while the rule acted. */
	readonly trigger: TriggerEntity | null;
	readonly trigger_type: TriggerTypeEntity | null;
}

export const ruleSnapshotKind: EntityKindDefinition<RuleSnapshotEntity> = {
	fields: { id: "text", rule: "json", trigger: "json", trigger_type: "json" },
};
