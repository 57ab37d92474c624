import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { inquiryRunnerType } from "../../language/inquiry-schema.ts";
import type { FindDemand } from "../policies/worker-demands-api.ts";
import type { WorkersApi } from "./api.ts";
import { LeftJobs } from "./orphaned-jobs.ts";
import { keepHere, placeRunner } from "./place-runner.ts";
import { type Contents, PlacedRuns } from "./remote-runs.ts";
import { workerRoutes } from "./routes.ts";
import { Sealing } from "./sealing.ts";
import { StoredWorkers, type StoredWorkersOptions } from "./stored-workers.ts";
import { Bell } from "./worker-notifications.ts";

export interface WorkersNeeds {
	/** Files of packs. */
	readonly contents: Contents & StoredWorkersOptions["contents"];
	/** What policies say of the workers of a run. */
	readonly findDemand: FindDemand;
}

/**
 * Runs that are carried out by processes on other machines, which reach the service over HTTP and nothing else.
 *
 * To the kernel such a run is one of a runner like any other: a runner that has its work done elsewhere, as on a cluster, and finds it again.
 * So parameters, secrets, recording, time-outs, fences and ends stay where they are, on the node that holds the execution, and a worker can
 * do nothing but be given a run, hand over output, and say how it ended. Node and worker speak over a record in the storage (`worker_job`), so that
 * any node may answer a worker. The worker holds it by a lease and a fence of its own, as nodes hold executions.
 *
 * The alternative was workers that are nodes, which claim executions themselves. They would render parameters, decrypt secrets and write records,
 * all of it over HTTP: a second way into everything that the kernel guards.
 */
export function createWorkersFeature(kernel: Kernel, { contents, findDemand }: WorkersNeeds): HttpFeature<WorkersApi> {
	const { runners, lease } = kernel.options.workers;
	const parts = {
		...kernel,
		logger: kernel.logger.withTag("workers"),
		sealing: new Sealing(kernel.keys),
		bell: new Bell(kernel),
		contents,
		lease,
		pollInterval: kernel.options.scheduler.poll_interval,
		isOutputKept: kernel.options.actionrunner.stream_output,
		maxResultOutput: kernel.options.actionrunner.max_result_output,
	};
	const runs = new PlacedRuns(parts);
	const workers = new StoredWorkers(parts);
	const left = new LeftJobs({ ...parts, interval: kernel.options.garbagecollector.collection_interval });
	return {
		api: { workers },
		wrapRunner(name, runner) {
			// What is made of other executions runs here; a policy is about each of these.
			if (kernel.isWorkflow(name)) return runner;
			// A worker that took a question could answer it in place of the users who were asked.
			return runners.includes(name) && name !== inquiryRunnerType
				? placeRunner(name, runner, { runs, findDemand })
				: keepHere(name, runner, { findDemand });
		},
		// With the end of the run what its worker had goes, or neither does.
		onCompletion: async (ended) => ({ operations: runs.toRemoval(ended), announce: () => undefined }),
		runsWithoutSlot: () => runs.resting,
		loops: [["api", { start: () => workers.open(), stop: async () => workers.close() }]],
		async start() {
			await parts.bell.start();
			runs.start();
			left.start();
		},
		async stop() {
			parts.bell.stop();
			await Promise.all([runs.stop(), left.stop()]);
		},
		routes: workerRoutes,
	};
}
