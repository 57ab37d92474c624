import type { JsonObject } from "../../core/contract/index.ts";
import {
	answerConflict,
	answerJson,
	createRouteDeclarations,
	defineBody,
	describeList,
	type GuardedResource,
	labelPattern,
	maxLabels,
	noStoreHeaders,
	parseLabels,
	type RouteContext,
	replyJson,
} from "../../core/feature.ts";
import type { WorkersApi } from "./api.ts";
import {
	singleWorkerSchema,
	workerBytesSchema,
	workerFilesSchema,
	workerNewsSchema,
	workerReceiptSchema,
	workerSchema,
} from "./schemas.ts";
import type { Reporter, WorkerEnd, WorkerOutput, WorkerPoll, WorkerView } from "./workers-exports.ts";

const { defineRoute } = createRouteDeclarations<WorkersApi>();

const name = { type: "string", minLength: 1, maxLength: 200 };
const id = { type: "string", pattern: "^[0-9a-f]{24}$" };
const secret = { type: "string", pattern: "^[0-9a-f]{32}$" };
const pieces = {
	type: "array",
	maxItems: 1_000,
	items: {
		type: "object",
		properties: { type: { enum: ["stdout", "stderr", "other"] }, data: { type: "string" } },
		required: ["type", "data"],
		additionalProperties: false,
	},
};
const sequence = { type: "integer", minimum: 1, maximum: 1_000_000_000 };

const pollBody = defineBody<WorkerPoll>({
	properties: {
		...{ instance: secret, name, hostname: name, version: name, draining: { type: "boolean" } },
		pid: { type: "integer", minimum: 0, maximum: 1_000_000_000 },
		labels: { type: "array", minItems: 1, maxItems: maxLabels, items: { type: "string", pattern: labelPattern } },
		runners: { type: "array", minItems: 1, maxItems: 100, items: name },
		places: { type: "integer", minimum: 0, maximum: 1_000 },
		free: { type: "integer", minimum: 0, maximum: 1_000 },
		jobs: {
			type: "array",
			maxItems: 2_000,
			items: {
				type: "object",
				properties: { id, fence: secret, told: { type: "boolean" }, ending: { type: "boolean" } },
				required: ["id", "fence", "told"],
				additionalProperties: false,
			},
		},
		wait: { type: "number", minimum: 0, maximum: 60 },
	},
	required: ["instance", "name", "hostname", "pid", "version", "draining", "labels", "runners", "places", "free", "jobs", "wait"],
	closed: true,
});

const outputBody = defineBody<WorkerOutput>({
	properties: { fence: secret, sequence, pieces },
	required: ["fence", "sequence", "pieces"],
	closed: true,
});

const endBody = defineBody<WorkerEnd>({
	properties: {
		...{ fence: secret, sequence, pieces, succeeded: { type: "boolean" }, result: { type: "object" } },
		...{ status: { enum: ["failed", "timeout", "abandoned"] }, error: { type: "string", maxLength: 10_000 } },
	},
	required: ["fence", "sequence", "pieces", "succeeded", "result"],
	closed: true,
});

const fenceBody = defineBody<{ readonly fence: string }>({ properties: { fence: secret }, required: ["fence"], closed: true });

/** Maximum bytes of files in one response. */
const maxBytes = 1_048_576;

const bytesBody = defineBody<{ readonly fence: string; readonly start: number; readonly length: number }>({
	properties: {
		fence: secret,
		start: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
		length: { type: "integer", minimum: 0, maximum: maxBytes },
	},
	required: ["fence", "start", "length"],
	closed: true,
});

/** Returns the permission resource of a label. A worker needs the permission on each label of the jobs that it takes. */
const labelled = (label: string): GuardedResource => ({ uid: `worker:${label}` });

type Addressed = Pick<RouteContext<WorkersApi>, "engine" | "path">;

/** Returns the resource of the job's first label. The other labels are checked once it is certain that the worker holds the job. */
async function jobResource({ engine, path }: Addressed) {
	const [first = noLabel] = await engine.workers.reports.labelsOf(toId({ path }));
	return labelled(first);
}

const toId = ({ path }: Pick<Addressed, "path">) => path["id"] ?? "";

/** Placeholder for the labels of a job that does not exist. */
const noLabel = "-";

function toReporter({ guard, principal }: Pick<RouteContext<WorkersApi>, "guard" | "principal">): Reporter {
	return {
		username: principal.username,
		assertLabels(labels) {
			for (const label of labels) guard.assert(principal, "worker_take", labelled(label));
		},
	};
}

const stale = { ...answerConflict, name: "StaleJob", description: "The job is not or no longer assigned to this worker." };

/** Routes for workers, and for clients that list workers. */
export const workerRoutes = [
	defineRoute({
		method: "GET",
		path: "/workers",
		summary: "List workers by name",
		description: "Without count headers. Stopped workers are listed for one day.",
		answers: { 200: describeList(workerSchema) },
		permission: "worker_list",
		async handler({ engine }) {
			return replyJson((await engine.workers.list()).map(toWorker));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/workers/:worker",
		summary: "Get a worker by its id or name, with its running executions",
		description:
			"400 if several workers have the name. `executions`: at most 100 runs, newest first; empty if the user may not list executions.",
		answers: { 200: answerJson(singleWorkerSchema) },
		permission: "worker_list",
		async handler({ engine, path, guard, principal }) {
			const view = await engine.workers.get(path["worker"] ?? "");
			const mayList = guard.allows(principal, "execution_list");
			const executions = mayList ? await engine.workers.running(view.worker.id) : [];
			return replyJson({ ...toWorker(view), executions: executions.map(({ id, action_ref, status }) => ({ id, action_ref, status })) });
		},
	}),
	defineRoute({
		method: "POST",
		path: "/workers/poll",
		summary: "Report a worker and request work",
		description: "Sent continuously by `svc worker`: renews its leases and waits for new work. Requires the permission on each label.",
		answers: { 200: answerJson(workerNewsSchema) },
		permission: "worker_take",
		resource: ({ body }) => labelled(body.labels[0] ?? ""),
		body: pollBody,
		async handler({ engine, body, principal, guard, request }) {
			const labels = parseLabels("labels", body.labels);
			for (const label of labels) guard.assert(principal, "worker_take", labelled(label));
			const { lease, jobs, stops, lost } = await engine.workers.poll({ ...body, labels }, principal, request.signal);
			return replyJson({ lease, jobs, stops, lost }, 200, noStoreHeaders);
		},
	}),
	defineRoute({
		method: "POST",
		path: "/workers/jobs/:id/output",
		summary: "Store output of a job",
		description: "`stored` is false if there is currently no space for the output; the worker must send it again.",
		answers: { 200: answerJson(workerReceiptSchema), 409: stale, 404: undefined },
		permission: "worker_take",
		resource: jobResource,
		body: outputBody,
		async handler(context) {
			return replyJson({ stored: await context.engine.workers.reports.output(toId(context), context.body, toReporter(context)) });
		},
	}),
	defineRoute({
		method: "POST",
		path: "/workers/jobs/:id/end",
		summary: "Store the end of a job",
		description: "Includes the output that is not stored yet. Only the first end is stored.",
		answers: { 200: answerJson(workerReceiptSchema), 409: stale, 404: undefined },
		permission: "worker_take",
		resource: jobResource,
		body: endBody,
		async handler(context) {
			await context.engine.workers.reports.end(toId(context), context.body, toReporter(context));
			return replyJson({ stored: true });
		},
	}),
	defineRoute({
		method: "POST",
		path: "/workers/jobs/:id/files",
		summary: "List the files that a job needs",
		answers: { 200: answerJson(workerFilesSchema), 409: stale, 404: undefined },
		permission: "worker_take",
		resource: jobResource,
		body: fenceBody,
		async handler(context) {
			const files = await context.engine.workers.reports.files(toId(context), context.body.fence, toReporter(context));
			return replyJson({ files: files.map(({ path: file, executable, size, sha256 }) => ({ path: file, executable, size, sha256 })) });
		},
	}),
	defineRoute({
		method: "POST",
		path: "/workers/jobs/:id/bytes",
		summary: "Get bytes of the files that a job needs",
		description: "The files are concatenated in the order of their list. `data` is Base64.",
		answers: { 200: answerJson(workerBytesSchema), 409: stale, 404: undefined },
		permission: "worker_take",
		resource: jobResource,
		body: bytesBody,
		async handler(context) {
			const bytes = await context.engine.workers.reports.bytes(toId(context), context.body, toReporter(context));
			return replyJson({ data: bytes.toString("base64") }, 200, noStoreHeaders);
		},
	}),
];

function toWorker({ worker: { expires_at, draining, ...shown }, isAlive }: WorkerView): JsonObject {
	return { ...shown, state: isAlive ? (draining ? "draining" : "ready") : "gone" };
}
