import { traceKind } from "../../contract/entities/trace.ts";
import { arrayOf, defineSchema, fieldsOf, object, oneOf, partOf, text, timestamp } from "../../http/openapi/schema.ts";

const componentSchema = defineSchema(
	"TraceComponent",
	object({
		object_id: text,
		ref: text,
		updated_at: timestamp,
		caused_by: object({ type: oneOf("trigger_instance", "rule", "action_execution"), id: text }, ["type", "id"]),
	}),
	{ object_id: "66a1f0c29d3e4b7a51c08d12", ref: "core.local", updated_at: "2031-03-04T09:15:02.418273Z", caused_by: {} },
);
const components = arrayOf(componentSchema);

/** Wire schema of a trace. */
export const traceSchema = defineSchema(
	"Trace",
	object({
		...fieldsOf(traceKind, ["id", "trace_tag", "start_timestamp"]),
		...{ uid: text, action_executions: components, rules: components, trigger_instances: components },
	}),
	{
		id: "66a1f0c29d3e4b7a51c08d10",
		uid: "trace:b326b5062b2f0e69046810717534cb09",
		trace_tag: "release-7",
		start_timestamp: "2031-03-04T09:15:02.418273Z",
		action_executions: [],
		rules: [],
		trigger_instances: [],
	},
);
export const tracePart = partOf(traceSchema);
