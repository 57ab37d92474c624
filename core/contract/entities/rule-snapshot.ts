import type { EntityKindDefinition } from "./kind.ts";
import type { RuleEntity } from "./rule.ts";
import type { TriggerEntity } from "./trigger.ts";
import type { TriggerTypeEntity } from "./trigger-type.ts";

/**
 * Rule, trigger and trigger type at the time when the rule acted. The id is derived from the content, so that equal snapshots are
 * stored once.
 */
export interface RuleSnapshotEntity {
	readonly id: string;
	readonly rule: RuleEntity;
	/** Null if the trigger was removed while the rule acted. */
	readonly trigger: TriggerEntity | null;
	readonly trigger_type: TriggerTypeEntity | null;
}

export const ruleSnapshotKind: EntityKindDefinition<RuleSnapshotEntity> = {
	fields: { id: "text", rule: "json", trigger: "json", trigger_type: "json" },
};
