import { createHash } from "node:crypto";
import type {
	JsonObject,
	PolicyEntity,
	RuleEnforcementEntity,
	RuleEntity,
	SensorEntity,
	TriggerEntity,
	TriggerInstanceEntity,
	TriggerTypeEntity,
} from "../../contract/index.ts";
import type { WireRecord } from "../../http/record.ts";
import { toCanonicalJson } from "../../kernel/events/parameters-hash.ts";
import type { RuleView } from "../rules/rules-api.ts";
import type { TraceComponent, TraceView } from "../traces/traces-api.ts";

const md5 = (text: string) => createHash("md5").update(text).digest("hex");

export function toTriggerType(type: TriggerTypeEntity): WireRecord {
	const { id, ref, name, pack, description, payload_schema, parameters_schema, tags, metadata_file } = type;
	const uid = `trigger_type:${pack}:${name}`;
	return { id, uid, ref, name, pack, description, payload_schema, parameters_schema, tags, metadata_file: metadata_file ?? "" };
}

export function toTrigger({ id, ref, name, pack, type, parameters, description }: TriggerEntity): WireRecord {
	return { id, uid: `trigger:${pack}:${name}:${md5(toCanonicalJson(parameters))}`, ref, name, pack, type, parameters, description };
}

/** A sensor type of the reference, which has no file here, and how the sensor does. */
export function toSensorType(sensor: SensorEntity): WireRecord {
	const { id, ref, name, pack, description, trigger_types, poll_interval, enabled } = sensor;
	const { state, state_changed_at, restarts, last_error, next_start_at, owner } = sensor;
	return {
		...{ id, uid: `sensor_type:${pack}:${name}`, ref, name, pack, description },
		...{ artifact_uri: "", entry_point: "", trigger_types, poll_interval, enabled, metadata_file: "" },
		...{ state, state_changed_at, restarts, last_error, next_start_at, node: owner },
	};
}

export function toTriggerInstance(instance: TriggerInstanceEntity): WireRecord {
	const { id, trigger, trigger_type, payload, occurrence_time, status, trace_id, failure_reason } = instance;
	return { id, trigger, trigger_type, payload, occurrence_time, status, trace_id, ...(failure_reason !== null && { failure_reason }) };
}

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

export function toPolicy(policy: PolicyEntity): WireRecord {
	const { id, ref, name, pack, description, enabled, resource_ref, policy_type, parameters, metadata_file } = policy;
	return {
		...{ id, uid: `policy:${pack}:${name}`, ref, name, pack, description, enabled },
		...{ resource_ref, policy_type, parameters, metadata_file: metadata_file ?? "" },
	};
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

export function toTrace({ trace, executions, rules, instances }: TraceView): WireRecord {
	return {
		id: trace.id,
		uid: `trace:${md5(trace.id)}`,
		trace_tag: trace.trace_tag,
		start_timestamp: trace.start_timestamp,
		action_executions: executions.map(toComponent),
		rules: rules.map(toComponent),
		trigger_instances: instances.map(toComponent),
	};
}

function toComponent({ caused_by, ...component }: TraceComponent): WireRecord {
	return { ...component, caused_by: caused_by ?? {} };
}
