import type { JsonObject, RuleEntity, TriggerEntity } from "../../contract/index.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import { toDeletedTitle, toTriggerTitle } from "../triggers/trigger-titles-exports.ts";

/** Returns the API record of a rule with its trigger. */
export function toRuleRecord(rule: RuleEntity, trigger: TriggerEntity | undefined) {
	return {
		id: rule.id,
		uid: `rule:${rule.pack}:${rule.name}`,
		ref: rule.ref,
		name: rule.name,
		pack: rule.pack,
		description: rule.description,
		enabled: rule.enabled,
		type: { ref: rule.type, parameters: rule.type_parameters },
		trigger: toRuleTrigger(rule, trigger),
		criteria: rule.criteria,
		action: { ref: rule.action_ref, parameters: rule.action_parameters },
		context: { user: rule.user },
		tags: rule.tags,
		metadata_file: rule.metadata_file ?? "",
	} satisfies WireRecord;
}

/** Returns the trigger of a rule. Its title shows no more than its parameters. If the trigger has been deleted, only its type is known. */
function toRuleTrigger(rule: RuleEntity, trigger: TriggerEntity | undefined): JsonObject {
	if (trigger === undefined) return { type: rule.trigger_type, title: toDeletedTitle(rule.trigger_type), parameters: {} };
	return { type: trigger.type, ref: trigger.ref, title: toTriggerTitle(trigger), parameters: trigger.parameters };
}
