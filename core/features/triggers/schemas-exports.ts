import { triggerKind } from "../../contract/entities/trigger.ts";
import { triggerInstanceKind } from "../../contract/entities/trigger-instance.ts";
import { triggerTypeKind } from "../../contract/entities/trigger-type.ts";
import {
	arrayOf,
	defineSchema,
	enumOf,
	fieldsOf,
	jsonObject,
	objectSchema,
	partOf,
	stringSchema,
} from "../../http/openapi/schema-builders.ts";

/** A trigger type in a response. */
export const triggerTypeSchema = defineSchema(
	"TriggerType",
	objectSchema({
		...fieldsOf(triggerTypeKind, ["id", "ref", "name", "pack", "description", "payload_schema", "parameters_schema", "metadata_file"]),
		uid: stringSchema,
		tags: arrayOf(jsonObject),
	}),
	{
		id: "66a1e0019d3e4b7a51c00030",
		uid: "trigger_type:core:svc.webhook",
		ref: "core.svc.webhook",
		name: "svc.webhook",
		pack: "core",
		description: "A request to a webhook.",
		payload_schema: { type: "object" },
		parameters_schema: { type: "object" },
		tags: [],
		metadata_file: "",
	},
);
export const triggerTypePart = partOf(triggerTypeSchema);

/** Members of a trigger in a response. */
export const triggerMembers = {
	...fieldsOf(triggerKind, ["id", "ref", "name", "pack", "type", "parameters", "description"]),
	uid: stringSchema,
	title: stringSchema,
};
export const triggerExample = {
	id: "66a1e0019d3e4b7a51c00031",
	uid: "trigger:core:hook:b326b5062b2f0e69046810717534cb09",
	ref: "core.hook",
	name: "hook",
	pack: "core",
	type: "core.svc.webhook",
	title: "webhook disk/alerts",
	parameters: { url: "disk/alerts" },
	description: "",
};
/** Refs of the rules that use a trigger and that the caller may view, in a response. */
export const rulesMember = { rules: arrayOf(stringSchema) };
/** A trigger in a response. */
export const triggerSchema = defineSchema("Trigger", objectSchema(triggerMembers), triggerExample);

/**
 * An event in a response. The payload is left out for callers without the permission to view it, and the title of the trigger for callers
 * who may not view its parameters.
 */
export const triggerInstanceSchema = defineSchema(
	"TriggerInstance",
	objectSchema(
		{
			...fieldsOf(triggerInstanceKind, ["id", "trigger", "trigger_type", "payload", "occurrence_time", "trace_id", "failure_reason"]),
			status: enumOf("pending", "processing", "processed", "processing_failed"),
			trigger_title: stringSchema,
		},
		["payload", "failure_reason", "trigger_title"],
	),
	{
		id: "66a1e0019d3e4b7a51c00032",
		trigger: "core.hook",
		trigger_type: "core.svc.webhook",
		payload: { headers: {}, body: { disk: "/dev/sda" } },
		occurrence_time: "2031-03-04T09:15:02.418273Z",
		status: "processed",
		trace_id: "66a1f0c29d3e4b7a51c08d10",
		trigger_title: "webhook disk/alerts",
	},
);
export const triggerInstancePart = partOf(triggerInstanceSchema);
