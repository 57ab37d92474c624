import type { TriggerEntity, TriggerInstanceEntity, TriggerTypeEntity } from "../../contract/index.ts";
import { toMd5Digest, type WireRecord } from "../../http/wire-record.ts";
import { toCanonicalJson } from "../../kernel/events/trigger-catalog.ts";
import { toTriggerTitle } from "./trigger-titles-exports.ts";

export function toTriggerType(type: TriggerTypeEntity): WireRecord {
	const { id, ref, name, pack, description, payload_schema, parameters_schema, tags, metadata_file } = type;
	const uid = `trigger_type:${pack}:${name}`;
	return { id, uid, ref, name, pack, description, payload_schema, parameters_schema, tags, metadata_file: metadata_file ?? "" };
}

export function toTrigger(trigger: TriggerEntity): WireRecord {
	const { id, ref, name, pack, type, parameters, description } = trigger;
	const uid = `trigger:${pack}:${name}:${toMd5Digest(toCanonicalJson(parameters))}`;
	return { id, uid, ref, name, pack, type, title: toTriggerTitle(trigger), parameters, description };
}

export function toTriggerInstance(instance: TriggerInstanceEntity): WireRecord {
	const { id, trigger, trigger_type, payload, occurrence_time, status, trace_id, failure_reason } = instance;
	return { id, trigger, trigger_type, payload, occurrence_time, status, trace_id, ...(failure_reason !== null && { failure_reason }) };
}
