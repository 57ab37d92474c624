import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { RunContext, Runner } from "../../../core/contract/index.ts";
import { until } from "../../../core/testing/guarantees/until.test-support.ts";
import { silentLogger } from "../../../core/testing/run-context.ts";
import type { HandedJob, WorkerNews } from "../workers-exports.ts";
import type { PackCache } from "./pack-cache.ts";
import type { ServiceClient } from "./service-client.ts";
import { Worker } from "./worker.ts";

const spec = {
	action_ref: "core.local",
	pack: "core",
	user: "ada",
	entry_point: "",
	content: null,
	max_result_output: 1_000,
	environment: {},
};
const job = { id: "1", fence: "2", execution_id: "3", runner: "scripted", spec } as unknown as HandedJob;

/** Let a worker ask until it has got all of these answers and asks once more; returns how often it has run something. */
async function countRuns(answers: readonly Partial<WorkerNews>[]): Promise<number> {
	return (await runAll(answers)).length;
}

/** Let a worker ask until it has got all of these answers and asks once more; returns what its runs were given. */
async function runAll(answers: readonly Partial<WorkerNews>[]): Promise<readonly RunContext[]> {
	const runs: RunContext[] = [];
	let asked = 0;
	const connection = {
		async post<T>(path: string): Promise<T> {
			if (path !== "/workers/poll") return { stored: true } as T;
			const news: WorkerNews = { lease: 60, jobs: [], stops: [], lost: [], ...answers[asked] };
			asked += 1;
			return news as T;
		},
	};
	const runner = {
		async run(context: RunContext) {
			runs.push(context);
			return { succeeded: true, result: {} };
		},
	};
	const worker = new Worker({
		connection: connection as unknown as ServiceClient,
		folders: {} as PackCache,
		runners: new Map([["scripted", runner as unknown as Runner]]),
		...{ logger: silentLogger, serviceUrl: "http://service", name: "one", labels: ["far"], version: "1.0.0", places: 1 },
		onRefused: (error) => assert.fail(error),
	});
	worker.start();
	await until("all answers are taken", 20, () => asked > answers.length || undefined);
	await worker.abort();
	return runs;
}

test("what an answer brings is run", async () => {
	assert.equal(await countRuns([{ jobs: [job] }]), 1);
});

test("a run finds the service by every name of its address, as the worker reaches it", async () => {
	const environment = { SVC_ACTION_API_URL: "http://node/v1", OTHER_API_URL: "http://node/v1", SVC_ACTION_PACK_NAME: "core" };
	const [run] = await runAll([{ jobs: [{ ...job, spec: { ...spec, environment } } as unknown as HandedJob] }]);
	assert.deepEqual(run?.environment, {
		SVC_ACTION_API_URL: "http://service/v1",
		OTHER_API_URL: "http://service/v1",
		SVC_ACTION_PACK_NAME: "core",
	});
});

test("what an answer brings that was on its way for longer than its run may be held is not begun before it is given again", async () => {
	assert.equal(await countRuns([{ lease: 0, jobs: [job] }]), 0);
	assert.equal(await countRuns([{ lease: 0, jobs: [job] }, { jobs: [job] }]), 1);
});

test.run();
