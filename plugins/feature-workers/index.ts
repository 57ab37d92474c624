import {
	defineFeature,
	type HttpFeature,
	inquiryRunnerType,
	type Kernel,
	type NamedFeatures,
	type ResourceTypeDefinition,
} from "../../core/feature.ts";
import type { WorkersApi } from "./api.ts";
import { EndedJobCleaner } from "./ended-job-cleaner.ts";
import {
	type WorkerEntity,
	type WorkerJobEntity,
	type WorkerOutputEntity,
	workerJobKind,
	workerKind,
	workerOutputKind,
} from "./entities.ts";
import { JobEncryption } from "./job-encryption.ts";
import { workersOptions } from "./options.ts";
import { workerRoutes } from "./routes.ts";
import { StoredWorkers } from "./stored-workers.ts";
import { WorkerNotifications } from "./worker-notifications.ts";
import { routeToWorkers } from "./worker-routing.ts";
import { WorkerRunFollowers } from "./worker-run-followers.ts";

declare module "../../core/feature.ts" {
	interface EntityMap {
		worker: WorkerEntity;
		worker_job: WorkerJobEntity;
		worker_output: WorkerOutputEntity;
	}
	interface FeatureOptionSections {
		workers: typeof workersOptions;
	}
	interface PermissionVerbs {
		worker: "list" | "take" | "all";
	}
}

const kinds = { worker: workerKind, worker_job: workerJobKind, worker_output: workerOutputKind };

const permissions: { readonly worker: ResourceTypeDefinition } = { worker: { verbs: ["list", "take", "all"], scopedVerbs: ["take"] } };

export type { WorkersApi } from "./api.ts";
export type { WorkerEntity, WorkerJobEntity, WorkerJobStatus, WorkerOutputEntity } from "./entities.ts";

/**
 * Runs actions on workers: processes on other machines that reach the service only over HTTP.
 *
 * To the kernel, such a run belongs to an ordinary runner that delegates its work, like a runner for a cluster, and can recover it.
 * Parameters, secrets, recording, time-outs, fences and the end of the run stay on the node that holds the execution. A worker can only
 * poll for a run, fetch the pack files that it needs, deliver output, and report the end. Node and worker communicate through stored
 * records (`worker_job`, `worker_output`), so that any node can serve a worker. The worker holds the record with a lease and a fence of its
 * own, as nodes hold executions.
 *
 * Workers are not nodes that claim executions themselves: they would then render parameters, decrypt secrets and write records over HTTP,
 * which would be a second access path to everything that the kernel protects.
 */
export const workers = () =>
	defineFeature({
		name: "workers",
		kinds,
		permissions,
		options: { workers: workersOptions },
		requires: ["packs", "policies"],
		create: createWorkersFeature,
	});

function createWorkersFeature(kernel: Kernel, { packs, policies }: Pick<NamedFeatures, "packs" | "policies">): HttpFeature<WorkersApi> {
	const { runners, lease } = kernel.options.workers;
	const parts = {
		...kernel,
		logger: kernel.logger.withTag("workers"),
		sealing: new JobEncryption(kernel.keys),
		notifications: new WorkerNotifications(kernel),
		contents: packs.contents,
		lease,
		pollInterval: kernel.options.scheduler.poll_interval,
		isOutputKept: kernel.options.actionrunner.stream_output,
		maxResultOutput: kernel.options.actionrunner.max_result_output,
	};
	const runs = new WorkerRunFollowers(parts);
	const stored = new StoredWorkers(parts);
	policies.takeOverDemands();
	const left = new EndedJobCleaner({ ...parts, interval: kernel.options.garbagecollector.collection_interval });
	return {
		api: { workers: stored },
		wrapRunner(name, runner) {
			// Workflows run on the node. Policies that demand a worker apply to each of their child executions instead.
			if (kernel.isWorkflow(name)) return runner;
			// A worker that received an inquiry could answer it in place of the users who must answer.
			return runners.includes(name) && name !== inquiryRunnerType
				? routeToWorkers(name, runner, { runs, findDemand: policies.findDemand })
				: policies.refuseDemands(runner, `but workers are not given runs of the runner type "${name}"`);
		},
		// Removes the job and its output in the same write that stores the end of the run.
		onCompletion: async (ended) => ({ operations: runs.toRemoval(ended), announce: () => undefined }),
		runsWithoutSlot: () => runs.resting,
		loops: [["api", { start: () => stored.open(), stop: async () => stored.close() }]],
		async start() {
			await parts.notifications.start();
			runs.start();
			left.start();
		},
		async stop() {
			parts.notifications.stop();
			await Promise.all([runs.stop(), left.stop()]);
		},
		routes: workerRoutes,
	};
}
