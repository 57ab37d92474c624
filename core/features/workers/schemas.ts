import { workerKind } from "../../contract/entities/worker.ts";
import {
	arrayOf,
	defineSchema,
	fieldsOf,
	flag,
	jsonObject,
	mapOf,
	nullable,
	object,
	oneOf,
	real,
	recordId,
	text,
	whole,
} from "../../http/openapi/schema.ts";
import { statusSchema } from "../executions/schemas-api.ts";

const members = {
	...fieldsOf(workerKind, ["id", "name", "user", "hostname", "pid", "version", "places", "running", "started_at", "seen_at"]),
	state: oneOf("ready", "draining", "gone"),
	labels: arrayOf(text),
	runners: arrayOf(text),
};
const example = {
	id: "66a1e0019d3e4b7a51c00080",
	name: "edge-1",
	user: "edge",
	hostname: "edge-1",
	pid: 812,
	version: "0.1.0",
	places: 4,
	running: 1,
	started_at: "2031-03-04T09:15:02.418273Z",
	seen_at: "2031-03-04T09:15:12.418273Z",
	state: "ready",
	labels: ["site-a"],
	runners: ["local-shell-cmd"],
};

/** Worker in API responses. */
export const workerSchema = defineSchema("Worker", object(members), example);

/** Worker and its current runs, in API responses. */
export const singleWorkerSchema = defineSchema(
	"SingleWorker",
	object({ ...members, executions: arrayOf(object({ id: text, action_ref: text, status: statusSchema })) }),
	{ ...example, executions: [] },
);

const spec = object({
	...{ action_ref: text, pack: text, user: text, entry_point: text, content: nullable(text) },
	...{ runner_parameters: jsonObject, action_parameters: jsonObject, action_schema: jsonObject, pack_config: jsonObject },
	environment: mapOf(text),
	max_result_output: whole,
});

/** Response to a poll of a worker. */
export const workerNewsSchema = defineSchema(
	"WorkerNews",
	object({
		lease: real,
		jobs: arrayOf(object({ id: recordId, fence: text, execution_id: recordId, runner: text, spec })),
		stops: arrayOf(object({ id: recordId, kind: oneOf("cancel", "timeout") })),
		lost: arrayOf(recordId),
	}),
	{ lease: 15, jobs: [], stops: [], lost: [] },
);

/** Result of delivering output: true if the output was stored. */
export const workerReceiptSchema = defineSchema("WorkerReceipt", object({ stored: flag }), { stored: true });

/** Files of the content of a job. */
export const workerFilesSchema = defineSchema(
	"WorkerFiles",
	object({ files: arrayOf(object({ path: text, executable: flag, size: whole, sha256: text })) }),
	{ files: [] },
);

/** Bytes of the content of a job. */
export const workerBytesSchema = defineSchema("WorkerBytes", object({ data: text }), { data: "" });
