// test-timeout: 240
import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { type ExecutionEntity, isSvcError, SvcError, type WriteOperation } from "../../core/contract/index.ts";
import { startEngine, type TestEngine } from "../../core/testing/engine/engine.test-support.ts";
import { createSharedStorage, type Door, type OnCall, type SharedStorage } from "../../core/testing/engine/shared-storage.test-support.ts";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { FakeWorker } from "./fake-worker.test-support.ts";
import { maxWorkersPerUser } from "./worker-presence.ts";
import type { HandedJob } from "./workers-exports.ts";

/** Of executions, in seconds, where another node is to take them over soon. */
const brief = 1;

type Node = TestEngine & { readonly door: Door };

interface Scene extends SharedStorage {
	/** One of several nodes on the same records. Seconds for which nodes hold executions: `lease`; workers what they have: `held`. */
	startNode(options?: { readonly lease?: number; readonly held?: number; readonly onCall?: OnCall }): Promise<Node>;
}

function scene(name: string, body: (scene: Scene) => Promise<void>): void {
	test(name, async () => {
		const shared = createSharedStorage();
		const directory = await mkdtemp(join(tmpdir(), "svc-workers-"));
		const nodes: Node[] = [];
		try {
			await body({
				...shared,
				async startNode({ lease = 15, held = 15, onCall } = {}) {
					const door = shared.createDoor(onCall);
					const options = {
						scheduler: { lease, poll_interval: 0.1 },
						timersengine: { enable: false },
						workers: { runners: ["scripted"], lease: held },
						actionrunner: { graceful_shutdown: false },
						keyvalue: { encryption_key_path: join(directory, "key.json") },
					};
					const node = { ...(await startEngine({ storage: door.plugin, eventBus: door.eventBus, options })), door };
					nodes.push(node);
					for (const labels of [["far"], ["blue", "red"]]) await createAction(node, labels);
					return node;
				},
			});
		} finally {
			for (const node of nodes) {
				node.door.open();
				await node.stop();
			}
			await shared.release();
			await rm(directory, { recursive: true, force: true });
		}
	});
}

/** An action that workers with these labels carry out, called as they are. */
function createAction({ engine }: Node, labels: readonly string[]): Promise<unknown> {
	const parameters = { svc_worker_labels: { default: [...labels], immutable: true } };
	return engine.actions.create({ name: labels.join("_"), runner_type: "scripted", parameters }).catch(() => undefined);
}

const submitFar = (node: Node, labels: readonly string[] = ["far"]) => node.submit({}, { action: `default.${labels.join("_")}` });

/** Ask a node for work until there is some. */
function given(node: Node, worker: FakeWorker): Promise<HandedJob> {
	return until("a job is given", 20, async () => (await worker.poll(node.engine, { wait: 1 })).jobs[0]);
}

/** What an execution has printed, as it is stored. */
async function outputOf({ storage }: Scene, { id }: Pick<ExecutionEntity, "id">): Promise<string> {
	const chunks = await storage.find("output_chunk", { where: { execution_id: id }, orderBy: [["sequence", "asc"]] });
	return chunks.map(({ data }) => data).join("");
}

const isConflict = (error: unknown) => isSvcError(error, "SVC_CONFLICT");
const offersJob = (method: string, [operations]: readonly unknown[]) =>
	method === "write" && (operations as readonly WriteOperation[]).some((one) => "insert" in one && one.insert === "worker_job");

scene("two nodes never give the same to two workers", async (the) => {
	const nodes = [await the.startNode(), await the.startNode()] as const;
	const workers = [new FakeWorker("one"), new FakeWorker("two"), new FakeWorker("three")];
	const submitted = await Promise.all(Array.from({ length: 12 }, (_, index) => submitFar(nodes[index % 2] as Node)));
	const given: string[] = [];
	await until("all is given", 90, async () => {
		const rounds = workers.flatMap((worker, index) =>
			// A worker asks one after the other; which node answers is chance.
			[nodes[(given.length + index) % 2] as Node].map(async ({ engine }) => {
				const { jobs } = await worker.poll(engine, { free: 4 });
				given.push(...jobs.map(({ id }) => id));
				for (const job of jobs) await worker.end(engine, job, { data: "done\n" });
			}),
		);
		await Promise.all(rounds);
		return given.length >= submitted.length || undefined;
	});
	for (const { id } of submitted) assert.equal((await nodes[0].settled(id)).status, "succeeded");
	assert.deepEqual([given.length, new Set(given).size], [12, 12]);
	for (const execution of submitted) assert.equal(await outputOf(the, execution), "done\n");
	assert.equal(await the.storage.count("worker_job", {}), 0, "what has ended is gone");
	assert.equal(await the.storage.count("worker_output", {}), 0);
});

scene("a worker goes on with another node when its own dies, and so does its run", async (the) => {
	const first = await the.startNode({ lease: brief });
	const worker = new FakeWorker("one");
	const execution = await submitFar(first);
	const job = await given(first, worker);
	assert.equal(await worker.output(first.engine, job, 1, "one\n"), true);
	await until("its output is stored", 20, async () => (await outputOf(the, execution)) === "one\n" || undefined);
	first.door.shut();
	const second = await the.startNode({ lease: brief });
	assert.equal(await worker.output(second.engine, job, 2, "two\n"), true);
	// An answer that the first one could not give any more.
	assert.equal(await worker.output(second.engine, job, 2, "two\n"), true);
	assert.deepEqual((await worker.poll(second.engine)).lost, []);
	await worker.end(second.engine, job, { sequence: 3, data: "three\n", result: { kept: true } });
	const ended = await second.settled(execution.id);
	assert.equal(ended.status, "succeeded", JSON.stringify(ended.result));
	assert.deepEqual(ended.result, { kept: true });
	first.door.open();
	await first.door.passed();
	assert.equal(await outputOf(the, execution), "one\ntwo\nthree\n");
	assert.equal(ended.attempt, 1);
});

scene("a node that has stood still offers nothing of a run that it has lost", async (the) => {
	let isSlow = true;
	let stall = () => {};
	const first: Node = await the.startNode({
		lease: brief,
		onCall(method, values) {
			if (!isSlow || !offersJob(method, values)) return;
			isSlow = false;
			first.door.shut();
			return new Promise((resolve) => {
				stall = resolve;
			});
		},
	});
	const { id } = await submitFar(first);
	await until("it is about to offer the job", 20, () => !isSlow || undefined);
	const second = await the.startNode({ lease: brief });
	assert.equal((await second.settled(id)).status, "abandoned");
	stall();
	first.door.open();
	await first.door.passed();
	await until("its run is over", 20, async () => (await first.engine.executions.get(id)).entity.status === "abandoned" || undefined);
	assert.equal(await the.storage.count("worker_job", {}), 0);
});

scene("a job whose offer is stored and not answered is offered once", async (the) => {
	let lost = 0;
	const node = await the.startNode({
		onCall: (method, values) => (offersJob(method, values) && ++lost === 1 ? "lost" : undefined),
	});
	const { id } = await submitFar(node);
	const worker = new FakeWorker("one");
	await worker.end(node.engine, await given(node, worker));
	const ended = await node.settled(id);
	assert.equal(ended.status, "succeeded", JSON.stringify(ended.result));
	assert.equal(lost, 2);
	assert.equal(await the.storage.count("worker_job", {}), 0);
});

scene("while the storage is away a run that is about to be offered waits", async (the) => {
	let failures = 2;
	const node = await the.startNode({
		onCall(method, values) {
			if (offersJob(method, values) && --failures >= 0) throw new SvcError("SVC_UNAVAILABLE", "away");
		},
	});
	const { id } = await submitFar(node);
	const worker = new FakeWorker("one");
	await worker.end(node.engine, await given(node, worker));
	assert.equal((await node.settled(id)).status, "succeeded");
});

scene("nobody but the worker that has a job says anything of it", async (the) => {
	const node = await the.startNode();
	const worker = new FakeWorker("one");
	const execution = await submitFar(node);
	const job = await given(node, worker);
	await worker.output(node.engine, job, 1, "mine\n");
	const read = async () => (await the.storage.find("worker_job", {}))[0];
	await until("its output is taken", 20, async () => (await outputOf(the, execution)) === "mine\n" || undefined);
	const before = await read();
	const strangers = [
		{ who: new FakeWorker("other", { user: "stranger" }), fence: job.fence },
		{ who: new FakeWorker("one", { user: "stranger" }), fence: job.fence },
		{ who: worker, fence: "0".repeat(32) },
		{ who: new FakeWorker("one", { instance: "1".repeat(32) }), fence: "0".repeat(32) },
	];
	for (const { who, fence } of strangers) {
		const { reports } = node.engine.workers;
		const wrong = { id: job.id, fence };
		for (const sequence of [1, 2]) await assert.rejects(who.output(node.engine, wrong, sequence, "theirs\n"), isConflict);
		await assert.rejects(who.end(node.engine, wrong, { sequence: 2, data: "theirs\n" }), isConflict);
		await assert.rejects(reports.files(job.id, fence, who.reporter()), isConflict);
		await assert.rejects(reports.bytes(job.id, { fence, start: 0, length: 1 }, who.reporter()), isConflict);
	}
	for (const { who, fence } of strangers.filter((one) => one.who !== worker)) {
		const { jobs, lost } = await who.poll(node.engine, { jobs: [{ id: job.id, fence, told: false }] });
		assert.deepEqual([jobs, lost], [[], [job.id]]);
	}
	assert.deepEqual(await read(), before, "nothing has changed, and no lease is renewed");
	await worker.end(node.engine, job, { sequence: 2, data: "too\n" });
	await assert.rejects(strangers[0]?.who.end(node.engine, job) ?? assert.fail(), isConflict);
	assert.equal((await node.settled(execution.id)).status, "succeeded");
	assert.equal(await outputOf(the, execution), "mine\ntoo\n");
});

scene("a key that has lost a label loses what needs it", async (the) => {
	const node = await the.startNode({ held: 0.5 });
	const worker = new FakeWorker("one", { labels: ["blue", "red"] });
	const { id } = await submitFar(node, ["blue", "red"]);
	const job = await given(node, worker);
	const assertLabels = (labels: readonly string[]) => {
		if (labels.includes("red")) throw new SvcError("SVC_FORBIDDEN", "not red");
	};
	const narrow = { username: worker.user, assertLabels };
	const { fence } = job;
	const isForbidden = (error: unknown) => isSvcError(error, "SVC_FORBIDDEN");
	const output = { fence, sequence: 1, pieces: [{ type: "stdout", data: "late\n" } as const] };
	await assert.rejects(node.engine.workers.reports.output(job.id, output, narrow), isForbidden);
	await assert.rejects(node.engine.workers.reports.end(job.id, { ...output, succeeded: true, result: {} }, narrow), isForbidden);
	await assert.rejects(node.engine.workers.reports.files(job.id, fence, narrow), isForbidden);
	// It goes on to ask, with the label that is left: nothing is renewed by that, and it is not given the job again.
	const listed = [{ id: job.id, fence, told: false }];
	const ended = await until("the run is given up", 20, async () => {
		const { jobs, lost } = await worker.poll(node.engine, { labels: ["blue"], jobs: listed });
		assert.deepEqual([jobs, lost], [[], [job.id]]);
		assert.deepEqual((await worker.poll(node.engine, { labels: ["blue"], jobs: [] })).jobs, []);
		const { entity } = await node.engine.executions.get(id);
		return entity.end_timestamp === null ? undefined : entity;
	});
	assert.equal(ended.status, "abandoned");
});

scene("a worker keeps what its output is being stored for while it asks for work", async (the) => {
	let claims = 0;
	const node = await the.startNode({
		held: 1,
		// As a database does that claims only what nobody else has locked.
		onCall: (method, values) => {
			if (method !== "claim" || values[0] !== "worker_job") return;
			claims += 1;
			values[1] = { ...(values[1] as object), limit: 0 };
		},
	});
	const worker = new FakeWorker("one");
	const execution = await submitFar(node);
	const job = await given(node, worker);
	const lease = async () => (await the.storage.get("worker_job", job.id))?.lease_expires_at ?? "";
	const first = await lease();
	await until("the lease is renewed", 20, async () => {
		assert.deepEqual((await worker.poll(node.engine)).lost, []);
		return (await lease()) > first || undefined;
	});
	assert.ok(claims > 0);
	await worker.end(node.engine, job);
	assert.equal((await node.settled(execution.id)).status, "succeeded");
});

scene("a place that has become free is filled while the worker waits", async (the) => {
	let reads = 0;
	const onCall: OnCall = (method, [kind]) => {
		if (method === "find" && kind === "worker_job") reads += 1;
	};
	const node = await the.startNode({ onCall });
	const worker = new FakeWorker("one");
	await submitFar(node);
	const first = await given(node, worker);
	await submitFar(node);
	reads = 0;
	const waiting = worker.poll(node.engine, { free: 0, wait: 5 });
	// The service first reads the jobs that the poll names. One that has ended before counts as lost.
	await until("the jobs of the worker are read", 20, async () => reads > 0 || undefined);
	for (let read = 0; read < 3; read++) await the.storage.get("worker_job", first.id);
	await worker.end(node.engine, first);
	const { jobs, lost } = await waiting;
	assert.deepEqual([jobs.length, lost], [1, []]);
	const [second] = [...worker.jobs.values()];
	await worker.end(node.engine, second ?? assert.fail());
});

scene("what a worker that leaves was given without getting it is for another one at once", async (the) => {
	const nodes = [await the.startNode(), await the.startNode()] as const;
	const [leaving, staying] = [new FakeWorker("one"), new FakeWorker("two")];
	const execution = await submitFar(nodes[0]);
	const job = await given(nodes[0], leaving);
	const kept = await submitFar(nodes[0]);
	const missed = await given(nodes[0], leaving);
	leaving.jobs.delete(missed.id);
	const waiting = staying.poll(nodes[1].engine, { wait: 20 });
	const { jobs, lost } = await leaving.poll(nodes[0].engine, { draining: true, free: 0 });
	assert.deepEqual([jobs, lost], [[], []]);
	const [again] = (await waiting).jobs;
	assert.equal(again?.id, missed.id);
	assert.notEqual(again?.fence, missed.fence);
	await assert.rejects(leaving.end(nodes[0].engine, missed), isConflict, "it has nothing to say of that any more");
	await staying.end(nodes[1].engine, again ?? assert.fail());
	await leaving.end(nodes[0].engine, job);
	for (const { id } of [execution, kept]) assert.equal((await nodes[0].settled(id)).status, "succeeded");
});

scene("what an answer has given that never came is given again to the same worker, and to no other", async (the) => {
	const node = await the.startNode();
	const [worker, other] = [new FakeWorker("one"), new FakeWorker("two")];
	const { id } = await submitFar(node);
	const lost = await given(node, worker);
	const readLease = async () => (await the.storage.get("worker_job", lost.id))?.lease_expires_at ?? "";
	const first = await readLease();
	worker.jobs.clear();
	assert.deepEqual((await other.poll(node.engine)).jobs, []);
	assert.deepEqual((await worker.poll(node.engine)).jobs, [lost]);
	assert.ok((await readLease()) > first, "it may hold it for as long as it thinks it may");
	assert.deepEqual((await worker.poll(node.engine)).jobs, [], "it says now that it has it");
	await worker.end(node.engine, lost, { data: "once\n" });
	assert.equal((await node.settled(id)).status, "succeeded");
});

scene("an end that is on its way is nothing new", async (the) => {
	const node = await the.startNode();
	const worker = new FakeWorker("one");
	await submitFar(node);
	const { id, fence } = await given(node, worker);
	await worker.end(node.engine, { id, fence });
	const told = { id, fence, told: false };
	assert.deepEqual((await worker.poll(node.engine, { jobs: [{ ...told, ending: true }] })).lost, []);
	assert.deepEqual((await worker.poll(node.engine, { jobs: [told] })).lost, [id]);
});

scene("nobody has more than a thousand workers at once, and the workers of others come and go", async ({ startNode }) => {
	// None of them may be gone before the last one has come.
	const { engine } = await startNode({ held: 300 });
	const poll = (number: number, user = "edge") =>
		new FakeWorker(`worker-${number}`, { user, instance: number.toString(16).padStart(32, "0") }).poll(engine);
	for (let first = 0; first < maxWorkersPerUser; first += 100)
		await Promise.all(Array.from({ length: 100 }, (_, index) => poll(first + index)));
	await assert.rejects(
		poll(maxWorkersPerUser),
		(error) => isSvcError(error, "SVC_FORBIDDEN") && /"edge" already has 1000 workers/.test(error.message),
	);
	await poll(0);
	await poll(0, "maria");
});

test.run();
