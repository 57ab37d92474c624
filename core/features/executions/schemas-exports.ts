import { executionKind } from "../../contract/entities/execution.ts";
import { outputChunkKind } from "../../contract/entities/output-chunk.ts";
import {
	arrayOf,
	booleanSchema,
	defineSchema,
	enumOf,
	fieldsOf,
	jsonObject,
	nullable,
	objectSchema,
	partialOf,
	partOf,
	recordId,
	stringSchema,
	timestamp,
} from "../../http/openapi/schema-builders.ts";
import { actionExample, actionSchema, runnerTypeExample, runnerTypeSchema } from "../actions/schemas-exports.ts";
import { triggerInstanceSchema, triggerSchema, triggerTypeSchema } from "../triggers/schemas-exports.ts";
import { executionStatuses } from "./execution-statuses-exports.ts";
import { ruleSchema } from "./rule-schema-exports.ts";

/** Schema of the state of an execution. */
export const statusSchema = defineSchema("ExecutionStatus", enumOf(...executionStatuses), "succeeded");

/** Schema of the user who requested a state. */
const actorSchema = objectSchema({ user: stringSchema, credential: nullable(stringSchema), reason: nullable(stringSchema) });

const liveActionSchema = defineSchema(
	"LiveAction",
	objectSchema(
		{
			id: recordId,
			action: stringSchema,
			action_is_workflow: booleanSchema,
			parameters: jsonObject,
			callback: jsonObject,
			runner_info: jsonObject,
			notify: jsonObject,
		},
		["notify"],
	),
);

/** Schema of an execution in the API. Empty members are omitted. */
export const executionSchema = defineSchema(
	"Execution",
	objectSchema(
		{
			...fieldsOf(executionKind, ["id", "start_timestamp", "end_timestamp", "elapsed_seconds", "result_size", "delay"]),
			status: statusSchema,
			log: arrayOf(objectSchema({ status: statusSchema, timestamp, by: actorSchema }, ["by"])),
			parameters: jsonObject,
			result: jsonObject,
			context: jsonObject,
			action: actionSchema,
			runner: runnerTypeSchema,
			liveaction: liveActionSchema,
			web_url: stringSchema,
			parent: stringSchema,
			children: arrayOf(recordId),
			awaited_inquiries: arrayOf(recordId),
			rule: partialOf(ruleSchema),
			trigger: partialOf(triggerSchema),
			trigger_type: partialOf(triggerTypeSchema),
			trigger_instance: partialOf(triggerInstanceSchema),
		},
		[
			...["end_timestamp", "elapsed_seconds", "parameters", "result", "result_size", "parent", "children", "delay", "awaited_inquiries"],
			...["rule", "trigger", "trigger_type", "trigger_instance"],
		],
	),
	{
		id: "66a1f0c29d3e4b7a51c08d12",
		status: "succeeded",
		start_timestamp: "2031-03-04T09:15:02.418273Z",
		end_timestamp: "2031-03-04T09:15:03.018273Z",
		elapsed_seconds: 0.6,
		log: [{ status: "requested", timestamp: "2031-03-04T09:15:02.430000Z" }],
		parameters: { cmd: "uptime" },
		result: { stdout: "up 12 days", stderr: "", return_code: 0, succeeded: true, failed: false },
		result_size: 83,
		context: { user: "maria", pack: "core", trace_context: { id_: "66a1f0c29d3e4b7a51c08d10" } },
		action: actionExample,
		runner: runnerTypeExample,
		liveaction: {
			id: "66a1f0c29d3e4b7a51c08d11",
			action: "core.local",
			action_is_workflow: false,
			parameters: { cmd: "uptime" },
			callback: {},
			runner_info: {},
		},
		web_url: "http://127.0.0.1:9101/#/history/66a1f0c29d3e4b7a51c08d12/general",
	},
);
export const executionPart = partOf(executionSchema);

/** Schema of an output chunk in event streams. */
export const outputChunkSchema = defineSchema(
	"OutputChunk",
	objectSchema({
		...fieldsOf(outputChunkKind, ["id", "execution_id", "data"]),
		action_ref: stringSchema,
		runner_ref: stringSchema,
		timestamp,
		output_type: enumOf("stdout", "stderr", "other"),
	}),
	{
		id: "66a1f0c39d3e4b7a51c08d20",
		execution_id: "66a1f0c29d3e4b7a51c08d12",
		action_ref: "core.local",
		runner_ref: "local-shell-cmd",
		output_type: "stdout",
		data: "up 12 days\n",
		timestamp: "2031-03-04T09:15:02.901112Z",
	},
);
