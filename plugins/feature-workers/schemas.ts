import {
	arrayOf,
	booleanSchema,
	defineSchema,
	enumOf,
	fieldsOf,
	integerSchema,
	jsonObject,
	mapOf,
	nullable,
	numberSchema,
	objectSchema,
	recordId,
	statusSchema,
	stringSchema,
} from "../../core/feature.ts";
import { workerKind } from "./entities.ts";

const members = {
	...fieldsOf(workerKind, ["id", "name", "user", "hostname", "pid", "version", "places", "running", "started_at", "seen_at"]),
	state: enumOf("ready", "draining", "gone"),
	labels: arrayOf(stringSchema),
	runners: arrayOf(stringSchema),
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
export const workerSchema = defineSchema("Worker", objectSchema(members), example);

/** Worker and its current runs, in API responses. */
export const singleWorkerSchema = defineSchema(
	"SingleWorker",
	objectSchema({ ...members, executions: arrayOf(objectSchema({ id: stringSchema, action_ref: stringSchema, status: statusSchema })) }),
	{ ...example, executions: [] },
);

const spec = objectSchema({
	...{ action_ref: stringSchema, pack: stringSchema, user: stringSchema, entry_point: stringSchema, content: nullable(stringSchema) },
	...{ runner_parameters: jsonObject, action_parameters: jsonObject, action_schema: jsonObject, pack_config: jsonObject },
	environment: mapOf(stringSchema),
	max_result_output: integerSchema,
});

/** Response to a poll of a worker. */
export const workerNewsSchema = defineSchema(
	"WorkerNews",
	objectSchema({
		lease: numberSchema,
		jobs: arrayOf(objectSchema({ id: recordId, fence: stringSchema, execution_id: recordId, runner: stringSchema, spec })),
		stops: arrayOf(objectSchema({ id: recordId, kind: enumOf("cancel", "timeout") })),
		lost: arrayOf(recordId),
	}),
	{ lease: 15, jobs: [], stops: [], lost: [] },
);

/** Result of delivering output: true if the output was stored. */
export const workerReceiptSchema = defineSchema("WorkerReceipt", objectSchema({ stored: booleanSchema }), { stored: true });

/** Files of the content of a job. */
export const workerFilesSchema = defineSchema(
	"WorkerFiles",
	objectSchema({
		files: arrayOf(objectSchema({ path: stringSchema, executable: booleanSchema, size: integerSchema, sha256: stringSchema })),
	}),
	{ files: [] },
);

/** Bytes of the content of a job. */
export const workerBytesSchema = defineSchema("WorkerBytes", objectSchema({ data: stringSchema }), { data: "" });
