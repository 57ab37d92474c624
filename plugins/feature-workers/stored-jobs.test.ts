import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, RunAborted, type RunResult, type Storage } from "../../core/contract/index.ts";
import { noMeters } from "../../core/http/http-metrics.ts";
import { getSystemClock, toTimestamp } from "../../core/kernel/basics/clock.ts";
import { createOtherWriter, type OtherWriter } from "../../core/testing/engine/other-writer.test-support.ts";
import { createSharedStorage } from "../../core/testing/engine/shared-storage.test-support.ts";
import { silentLogger } from "../../core/testing/run-context.ts";
import type { WorkerJobEntity } from "./entities.ts";
import { HeldJobs } from "./held-jobs.ts";
import { workers } from "./index.ts";
import { JobAssigner } from "./job-assignment.ts";
import { JobEncryption } from "./job-encryption.ts";
import { JobReports } from "./job-reports.ts";
import { WorkerRunFollower } from "./worker-run-follower.ts";
import type { WorkerPoll } from "./workers-exports.ts";

// Defines the kinds of records of the feature.
workers();

// What a job has become between the read and the write of a node must stay.

interface Scene {
	/** Of another node. */
	readonly storage: Storage;
	readonly other: OtherWriter;
	readonly reports: JobReports;
	readonly jobAssignment: JobAssigner;
	readonly held: HeldJobs;
	/** Follows the job, and is told to end with `abort`. */
	readonly run: WorkerRunFollower;
	abort(): void;
	change(patch: Partial<WorkerJobEntity>): Promise<unknown>;
	read(): Promise<WorkerJobEntity>;
}

const id = "1";
const fence = "f";
const clock = getSystemClock();
const later = "2100-01-01T00:00:00.000000Z";
const waiting: WorkerJobEntity = {
	id,
	execution_id: "2",
	runner: "scripted",
	status: "waiting",
	stop: null,
	worker: null,
	worker_name: null,
	user: null,
	fence: null,
	lease_expires_at: null,
	sequence: 0,
	consumed: 0,
	content: null,
	created_at: toTimestamp(0),
	labels: [],
	trimmed: null,
	spec: "",
	result: null,
};
const taken = { status: "taken", worker: "w", worker_name: "w", user: "edge", fence, lease_expires_at: toTimestamp(0) } as const;
const reporter = { username: "edge", assertLabels: () => undefined };
const poll = { name: "w", labels: [], runners: ["scripted"], draining: false, jobs: [{ id, fence, told: false }] } as unknown as WorkerPoll;
const output = (sequence: number) => ({ fence, sequence, pieces: [{ type: "stdout", data: `${sequence}\n` } as const] });
const end = { fence, sequence: 1, pieces: [], succeeded: true, result: {} };
const isConflict = (error: unknown) => isSvcError(error, "SVC_CONFLICT");

async function withJob(job: Partial<WorkerJobEntity>, use: (scene: Scene) => Promise<void>): Promise<void> {
	const { createDoor, storage, release } = createSharedStorage();
	const other = createOtherWriter();
	const sealing = new JobEncryption({ encryptText: (text: string) => text, decryptText: (text: string) => text });
	const notifications = { notify: () => undefined } as never;
	const parts = {
		storage: createDoor(other.onCall).plugin.create(),
		clock,
		logger: silentLogger,
		hub: noMeters,
		sealing,
		notifications,
		lease: 60,
	};
	const controller = new AbortController();
	const context = {
		...{ liveaction_id: id, execution_id: "2", signal: controller.signal, emit: async () => undefined, noteRunnerInfo: () => undefined },
		...{ captured: () => ({ text: "", bytes: 0 }), setRunnerInfo: () => undefined },
	} as never;
	const place = { hostname: "edge", pid: 1 };
	await storage.insert("worker_job", [{ ...waiting, ...job }]);
	try {
		await use({
			...{ storage, other },
			reports: new JobReports({ ...parts, contents: {} as never }),
			jobAssignment: new JobAssigner(parts),
			held: new HeldJobs(parts),
			run: new WorkerRunFollower({
				...{ ...parts, context, isOutputKept: true, policies: [], keepContent: async () => undefined, toReason: async () => "" },
				...{ isLapsed: ({ lease_expires_at }) => lease_expires_at === toTimestamp(0), placeOf: async () => place },
			}),
			abort: () => controller.abort(new RunAborted("cancel", "canceled")),
			change: (patch) => storage.update("worker_job", id, patch),
			read: async () => (await storage.get("worker_job", id)) as WorkerJobEntity,
		});
	} finally {
		await release();
	}
}

test("of two workers that take a job one gets it", () =>
	withJob({}, async ({ jobAssignment, other, change, read }) => {
		other.before("worker_job", {}, () => change({ ...taken, worker: "theirs" }));
		assert.deepEqual(await jobAssignment.take({ worker: "mine", user: "edge", poll }, 1), []);
		assert.deepEqual([other.hasCome(), (await read()).worker], [true, "theirs"]);
	}));

test("output is stored once for each sequence, in order", () =>
	withJob(taken, async ({ reports, storage, read }) => {
		for (const sequence of [1, 1, 2, 1]) assert.equal(await reports.output(id, output(sequence), reporter), true);
		await assert.rejects(reports.output(id, output(4), reporter), /must be 3, the number after the last stored chunk/);
		const rows = await storage.find("worker_output", { where: { job: id }, orderBy: [["sequence", "asc"]] });
		assert.deepEqual(
			rows.map(({ sequence }) => sequence),
			[1, 2],
		);
		assert.equal((await read()).sequence, 2);
	}));

for (const [what, report] of [
	["output", ({ reports }: Scene) => reports.output(id, output(1), reporter)],
	["the end", ({ reports }: Scene) => reports.end(id, end, reporter)],
] as const) {
	test(`${what} of a job is refused that was given up meanwhile`, () =>
		withJob(taken, async (scene) => {
			const { other, change, read, storage } = scene;
			other.before("worker_job", {}, () => change({ status: "lost" }));
			await assert.rejects(report(scene), isConflict);
			assert.deepEqual([(await read()).status, (await read()).sequence, (await read()).result], ["lost", 0, null]);
			assert.equal(await storage.count("worker_output", {}), 0);
		}));
}

test("a job that a worker has begun is not given to another one", () =>
	withJob(taken, async ({ jobAssignment, held, other, change, read }) => {
		const own = await held.of("w", poll);
		other.before("worker_job", {}, () => change({ status: "ended" }));
		await jobAssignment.takeBack("w", own);
		assert.deepEqual([other.hasCome(), (await read()).status], [true, "ended"]);
	}));

test("the lease of a job that was given up meanwhile is not renewed", () =>
	withJob(taken, async ({ held, storage, change, read }) => {
		const own = await held.of("w", poll);
		assert.deepEqual([...(await held.renew("w", poll, own))], [id]);
		await change({ status: "lost", lease_expires_at: toTimestamp(0) });
		assert.deepEqual([...(await held.renew("w", poll, own))], []);
		assert.equal((await read()).lease_expires_at, toTimestamp(0));
		assert.equal(await storage.count("worker_job", {}), 1);
	}));

/** What the run comes to once the other writer has come and the job has ended. */
async function followToEnd({ run, other, change, read }: Scene): Promise<RunResult> {
	const result = run.follow({ isNew: false });
	while (!other.hasCome()) await new Promise((resolve) => setTimeout(resolve, 1));
	const { status } = await read();
	assert.equal(status, "taken");
	await change({ status: "ended", result: JSON.stringify({ succeeded: true, result: { done: true } }) });
	run.wake();
	return result;
}

test("a worker that renews its lease in the moment in which it is given up keeps the job", () =>
	withJob(taken, async (scene) => {
		scene.other.before("worker_job", {}, () => scene.change({ lease_expires_at: later }));
		assert.deepEqual(await followToEnd(scene), { succeeded: true, result: { done: true } });
	}));

test("a job that is taken in the moment in which it is canceled ends with its worker", () =>
	withJob({}, async (scene) => {
		scene.other.before("worker_job", {}, () => scene.change({ ...taken, lease_expires_at: later }));
		scene.abort();
		assert.deepEqual(await followToEnd(scene), { succeeded: true, result: { done: true } });
	}));

test.run();
