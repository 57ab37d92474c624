import type { JsonObject, RuleEnforcementEntity, RuleEntity, TriggerEntity } from "../../contract/index.ts";
import type { WireRecord } from "../../http/record.ts";
import type { RuleView } from "./rules-api.ts";

/** Descriptions that the views of rules have in addition. */
export interface RuleDescriptions {
	readonly trigger: string;
	readonly action: string;
}

export function toRule({ rule, trigger }: RuleView, descriptions?: RuleDescriptions): WireRecord {
	return {
		id: rule.id,
		uid: `rule:${rule.pack}:${rule.name}`,
		ref: rule.ref,
		name: rule.name,
		pack: rule.pack,
		description: rule.description,
		enabled: rule.enabled,
		type: { ref: rule.type, parameters: rule.type_parameters },
		trigger: {
			...toRuleTrigger(rule, trigger),
			...(descriptions !== undefined && { description: descriptions.trigger }),
		},
		criteria: rule.criteria,
		action: {
			ref: rule.action_ref,
			parameters: rule.action_parameters,
			...(descriptions !== undefined && { description: descriptions.action }),
		},
		context: { user: rule.user },
		tags: rule.tags,
		metadata_file: rule.metadata_file ?? "",
	};
}

/** Of a trigger that has gone only the type is known. */
function toRuleTrigger(rule: RuleEntity, trigger: TriggerEntity | undefined): JsonObject {
	if (trigger === undefined) return { type: rule.trigger_type, parameters: {} };
	return { type: trigger.type, ref: trigger.ref, parameters: trigger.parameters };
}

/** An enforcement. Members that are empty are left out. */
export function toEnforcement(enforcement: RuleEnforcementEntity): WireRecord {
	const { id, trigger_instance_id, execution_id, failure_reason, rule_id, rule_ref, enforced_at, status } = enforcement;
	const [pack, ...name] = rule_ref.split(".");
	return {
		id,
		trigger_instance_id,
		...(execution_id !== null && { execution_id }),
		...(failure_reason !== null && { failure_reason }),
		rule: { ref: rule_ref, id: rule_id, uid: `rule:${pack}:${name.join(".")}` },
		enforced_at,
		status,
	};
}
