import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type BusEvent, type ExecutionEntity, type OutputType, type Storage, SvcError } from "../../../contract/index.ts";
import { Redactor } from "../../../secrets/redactor.ts";
import { createBackend, type TestBackend } from "../../../testing/backends/backend.test-support.ts";
import { exceptOn, postgresBackends } from "../../../testing/backends/backend-names.test-support.ts";
import { createExecution } from "../../../testing/storage/fixtures.ts";
import { getSystemClock, toTimestamp } from "../../basics/clock.ts";
import type { Uses } from "../../basics/engine-parts.ts";
import { createId } from "../../basics/ids.ts";
import { publishOutput, publishUpdated, readOutputChunk, retainOutputText } from "../../executions/execution-events.ts";
import type { OutputAccess, OutputChunk } from "../../executions/executions-api.ts";
import { PooledChunkAssembler, StringChunkAssembler } from "../chunk-assembler.ts";
import { OutputReader } from "../output-reader.ts";
import { OutputWriter, type OutputWriterDependencies } from "../output-writer.ts";
import { toMaskedText, toStoredChunk } from "../stored-chunk-queries.ts";
import { followersPerTurn } from "./fan-out-pacing.ts";
import { PlainFollower } from "./plain-follower.test-support.ts";

const exceptOnPostgres = exceptOn(postgresBackends, test);

const clock = getSystemClock();
const now = () => toTimestamp(clock.now());

function createRunning(): ExecutionEntity {
	const timestamp = now();
	const ids = { id: createId(clock), liveaction_id: createId(clock), trace_id: createId(clock), snapshot_id: createId(clock) };
	const lease = { owner: "node", fence: "fence", lease_expires_at: timestamp, attempt: 1 };
	return createExecution({
		...ids,
		...lease,
		status: "running",
		user: "test",
		start_timestamp: timestamp,
		due_timestamp: timestamp,
		log: [{ status: "running", timestamp }],
		context: {},
		parameters: {},
	});
}

const backends: TestBackend[] = [];

test.after.each(async () => {
	for (const backend of backends.splice(0)) await backend.release();
});

type CreateOutput = (parts: Uses<"storage" | "eventBus">) => Pick<OutputAccess, "follow" | "followShared">;

const followHub: CreateOutput = (parts) => new OutputReader(parts);
const followPlainly: CreateOutput = (parts) => {
	const followShared: OutputAccess["followShared"] = (...given) => new PlainFollower(parts, ...given);
	return { follow: followShared, followShared };
};

const implementations = [
	["hub", followHub],
	["plain", followPlainly],
] as const;

async function createParts(follow = followHub) {
	const backend = createBackend();
	backends.push(backend);
	const storage = backend.storage.create();
	const eventBus = backend.eventBus.create();
	return { storage, eventBus, output: follow({ storage, eventBus }) };
}

type Parts = Awaited<ReturnType<typeof createParts>>;

function recorderFor(parts: Pick<Parts, "storage" | "eventBus">, execution: ExecutionEntity) {
	return new OutputWriter(toRecorderOptions(parts, execution));
}

function toRecorderOptions(
	{ storage, eventBus }: Pick<Parts, "storage" | "eventBus">,
	execution: ExecutionEntity,
): OutputWriterDependencies {
	return {
		store: (chunks) => storage.insert("output_chunk", chunks),
		eventBus,
		executionId: execution.id,
		actionRef: execution.action_ref,
		runnerRef: execution.runner_name,
		clock,
		maxResultOutput: 1_000_000,
		streamOutput: true,
		secrets: Redactor.none,
		secretOutput: [],
	};
}

/** A random number below `limit`, the same sequence for the same seed. */
function createRandom(seed: number): (limit: number) => number {
	let state = seed * 2_654_435_761 + 1;
	return (limit) => {
		state = (Math.imul(state ^ (state >>> 15), 2_246_822_507) + 0x9e3779b9) >>> 0;
		return (state >>> 8) % limit;
	};
}

const pause = (turns: number) =>
	turns > 0 ? new Promise<void>((resolve) => (turns > 3 ? setTimeout(resolve, turns / 10) : setImmediate(resolve))) : Promise.resolve();

/** Emits random pieces at random times on both channels, then ends the execution as the executor does. */
async function produce(parts: Parts, execution: ExecutionEntity, random: (limit: number) => number): Promise<Record<OutputType, string>> {
	const written = { stdout: "", stderr: "", other: "" };
	const recorder = recorderFor(parts, execution);
	const count = random(40);
	for (let index = 0; index < count; index += 1) {
		const type = random(3) === 0 ? "stderr" : "stdout";
		const data = `${index}:${"ä€🙂x".repeat(random(random(20) === 0 ? 3_000 : 4))}\n`;
		written[type] += data;
		await recorder.emit(type, data);
		await pause(random(8));
	}
	const rest = await recorder.finish();
	const patch = { status: "succeeded" as const };
	await parts.storage.write([
		...(rest.length > 0 ? [{ insert: "output_chunk" as const, entities: rest.map(toStoredChunk) }] : []),
		{ update: "execution", id: execution.id, patch, expected: { status: "running" } },
	]);
	for (const chunk of rest) publishOutput(parts.eventBus, chunk);
	publishUpdated(parts.eventBus, { ...execution, ...patch });
	return written;
}

/** Follows from a random moment; leaves at random and comes back with the last sequence it has seen. */
async function consume({ output }: Parts, id: string, random: (limit: number) => number): Promise<OutputChunk[]> {
	await pause(random(60));
	const chunks: OutputChunk[] = [];
	for (;;) {
		const controller = new AbortController();
		const stay = random(3) === 0 ? 1 + random(6) : Number.POSITIVE_INFINITY;
		let seen = 0;
		for await (const chunk of output.follow(id, { after: chunks.at(-1)?.sequence ?? 0, signal: controller.signal })) {
			chunks.push(chunk);
			seen += 1;
			if (random(10) === 0) await pause(random(30));
			if (seen >= stay) break;
		}
		controller.abort();
		if (seen < stay) return chunks;
	}
}

function textOf(chunks: readonly OutputChunk[], type: OutputType): string {
	return chunks
		.filter((chunk) => chunk.output_type === type)
		.map((chunk) => chunk.data)
		.join("");
}

for (const [name, follow] of implementations) {
	test(`${name}: followers that join, leave and resume at random read every channel exactly once`, async () => {
		const parts = await createParts(follow);
		for (let round = 0; round < 250; round += 1) {
			const random = createRandom(round);
			const execution = createRunning();
			await parts.storage.insert("execution", [execution]);
			const [written, ...read] = await Promise.all([
				produce(parts, execution, random),
				...Array.from({ length: 4 }, (_, index) => consume(parts, execution.id, createRandom(round * 10 + index))),
			]);
			for (const chunks of read) {
				assert.equal(textOf(chunks, "stdout"), written.stdout, `stdout of round ${round}`);
				assert.equal(textOf(chunks, "stderr"), written.stderr, `stderr of round ${round}`);
				assert.deepEqual(
					chunks.map((chunk) => chunk.sequence),
					chunks.map((_, index) => index + 1),
				);
			}
		}
	});

	exceptOnPostgres(`${name}: a follower of one channel gets that channel only, whole`, async () => {
		const parts = await createParts(follow);
		const execution = createRunning();
		await parts.storage.insert("execution", [execution]);
		const reading = (async () => {
			const chunks: OutputChunk[] = [];
			for await (const chunk of parts.output.follow(execution.id, { type: "stderr", signal: new AbortController().signal }))
				chunks.push(chunk);
			return chunks;
		})();
		const written = await produce(parts, execution, createRandom(7));
		const chunks = await reading;
		assert.equal(textOf(chunks, "stderr"), written.stderr);
		assert.equal(textOf(chunks, "stdout"), "");
	});

	test(`${name}: a follower that is slower than the run is caught up from storage`, async () => {
		const parts = await createParts(follow);
		const execution = createRunning();
		await parts.storage.insert("execution", [execution]);
		const reading = (async () => {
			let count = 0;
			for await (const _ of parts.output.follow(execution.id, { signal: new AbortController().signal })) {
				count += 1;
				if (count === 1) await pause(500);
			}
			return count;
		})();
		await pause(3);
		const recorder = recorderFor(parts, execution);
		for (let index = 0; index < 1_000; index += 1) {
			await recorder.emit(index % 2 === 0 ? "stdout" : "stderr", `${index}\n`);
			await new Promise((resolve) => setImmediate(resolve));
		}
		const rest = await recorder.finish();
		await parts.storage.insert("output_chunk", rest.map(toStoredChunk));
		await parts.storage.update("execution", execution.id, { status: "succeeded" });
		publishUpdated(parts.eventBus, { ...execution, status: "succeeded" });
		assert.equal(await reading, await parts.storage.count("output_chunk", { execution_id: execution.id }));
	});

	exceptOnPostgres(`${name}: following an execution that does not exist is an error`, async () => {
		const { output } = await createParts(follow);
		const first = output.follow(createId(clock), { signal: new AbortController().signal })[Symbol.asyncIterator]().next();
		await assert.rejects(first, { code: "SVC_NOT_FOUND" });
	});
}

exceptOnPostgres("a run that has lost its execution can emit nothing more", async () => {
	const parts = await createParts();
	const recorder = recorderFor(parts, createRunning());
	recorder.fail(new SvcError("SVC_CONFLICT", "lost"));
	await assert.rejects(recorder.emit("stdout", "late\n"), /lost/);
});

exceptOnPostgres("emit makes the run wait while the store is behind", async () => {
	const { storage, eventBus } = await createParts();
	let release = () => {};
	const gate = new Promise<void>((resolve) => {
		release = resolve;
	});
	const slow: Storage = { ...storage, insert: async (kind, entities) => gate.then(() => storage.insert(kind, entities)) };
	const recorder = recorderFor({ storage: slow, eventBus }, createRunning());
	let accepted = 0;
	const producing = (async () => {
		for (; accepted < 100; accepted += 1) await recorder.emit("stdout", "x".repeat(65_536));
	})();
	await pause(200);
	assert.ok(accepted < 40, `${accepted} chunks were accepted while nothing was stored`);
	release();
	await producing;
});

exceptOnPostgres("the text for the result is cut at the limit and says so", async () => {
	const parts = await createParts();
	const execution = createRunning();
	const recorder = new OutputWriter({
		store: (chunks) => parts.storage.insert("output_chunk", chunks),
		eventBus: parts.eventBus,
		executionId: execution.id,
		actionRef: "a.b",
		runnerRef: "r",
		clock,
		maxResultOutput: 10,
		streamOutput: true,
		secrets: Redactor.none,
		secretOutput: [],
	});
	await recorder.emit("stdout", "12345678ä");
	await recorder.emit("stdout", "ä");
	await recorder.emit("stdout", "z");
	assert.deepEqual(recorder.captured("stdout"), { text: "12345678ä", truncated: true, bytes: 13 });
	assert.deepEqual(recorder.captured("stderr"), { text: "", truncated: false, bytes: 0 });
	await recorder.finish();
});

test("a follower that keeps up is given what it is told of, and does not look for it in the storage", async () => {
	const parts = await createParts();
	const execution = createRunning();
	await parts.storage.insert("execution", [execution]);
	let looks = 0;
	const counting = Object.assign(Object.create(parts.storage) as Storage, {
		find: (...given: Parameters<Storage["find"]>) => {
			looks += 1;
			return parts.storage.find(...given);
		},
	});
	const output = new OutputReader({ storage: counting, eventBus: parts.eventBus });
	const recorder = recorderFor(parts, execution);
	await recorder.emit("stdout", "0\n");
	const controller = new AbortController();
	let seen = 0;
	for await (const { data } of output.follow(execution.id, { signal: controller.signal })) {
		assert.equal(data, `${seen}\n`);
		seen += 1;
		if (seen === 40) controller.abort();
		else await recorder.emit("stdout", `${seen}\n`);
	}
	assert.equal(seen, 40);
	assert.ok(looks <= 12, `${looks} looks`);
});

for (const [name, follow] of implementations) {
	test(`${name}: who waits is told at once what there is, that the run has ended, that the bus is silent for ever, and that it is not wanted any more`, async () => {
		const parts = await createParts(follow);
		const [execution, other] = [createRunning(), createRunning()];
		await parts.storage.insert("execution", [execution, other]);
		const recorder = recorderFor(parts, execution);
		const open = (signal: AbortSignal, options: { readonly type?: OutputType } = {}) =>
			parts.output.followShared(execution.id, { ...options, signal })[Symbol.asyncIterator]();
		const never = new AbortController().signal;
		const over = new AbortController();
		const followers = [open(never), open(never, { type: "stderr" }), open(over.signal), open(never)] as const;
		await recorder.emit("stderr", "first\n");
		for (const follower of followers) assert.equal((await follower.next()).value?.data, "first\n");
		const waiting = followers.map((follower) => follower.next());
		const [all, errors, aborted, left] = waiting as [Promise<IteratorResult<OutputChunk>>, ...Promise<IteratorResult<OutputChunk>>[]];
		over.abort();
		assert.equal((await aborted)?.done, true);
		await followers[3].return?.();
		assert.equal((await left)?.done, true);
		// Of another channel, many times: who does not want it waits on.
		for (let count = 0; count < 50; count += 1) await recorder.emit("stdout", `${count}\n`);
		assert.equal((await all).value?.data, "0\n");
		await recorder.emit("stderr", "last\n");
		assert.equal((await errors)?.value?.data, "last\n");
		const rest = await recorder.finish();
		await parts.storage.insert("output_chunk", rest.map(toStoredChunk));
		await parts.storage.update("execution", execution.id, { status: "succeeded" });
		const end = followers[1].next();
		publishUpdated(parts.eventBus, { ...execution, status: "succeeded" });
		assert.equal((await end).done, true);
		await followers[0].return?.();
		const silent = parts.output.followShared(other.id, { signal: never })[Symbol.asyncIterator]().next();
		await parts.eventBus.stop?.();
		await assert.rejects(silent);
	});
}

const line = `${"0123456789".repeat(8)}\n`;
const page = line.repeat(700);
/** Of which no two go in one chunk. */
const long = line.repeat(1_400);

for (const Assembler of [StringChunkAssembler, PooledChunkAssembler]) {
	test(`${Assembler.name}: output as bytes is recorded and followed as output as text is, also by who is slow, and by the general stream`, async () => {
		const parts = await createParts();
		const execution = createRunning();
		await parts.storage.insert("execution", [execution]);
		const secret = "the-secret-of-a-run";
		const options = { ...toRecorderOptions(parts, execution), secrets: new Redactor([secret]), assembler: new Assembler(clock) };
		const recorder = new OutputWriter(options);
		const over = new AbortController();
		const kept: BusEvent[] = [];
		const filter = (event: BusEvent) => {
			retainOutputText(event);
			kept.push(event);
			return true;
		};
		await parts.eventBus.subscribe(["svc.execution.output__create"], { signal: over.signal, filter, buffer: 10_000 });
		const memory = Buffer.alloc(page.length);
		const emit = async (text: string) => {
			memory.write(text, "latin1");
			const emitted = recorder.emitBytes("stdout", memory.subarray(0, text.length));
			memory.fill("?");
			await emitted;
		};
		let slowly = "";
		const following = (async () => {
			for await (const { data } of parts.output.follow(execution.id, { signal: over.signal })) {
				await pause(1);
				slowly += data;
			}
		})();
		const cut = `${page.slice(0, 50_000)}${secret.slice(0, 9)}`;
		for (let count = 0; count < 100; count += 1) await emit(page);
		await emit(cut);
		await emit(secret.slice(9) + page.slice(0, 30_000));
		const rest = await recorder.finish();
		await parts.storage.insert("output_chunk", rest.map(toStoredChunk));
		for (const chunk of rest) publishOutput(parts.eventBus, chunk);
		await parts.storage.update("execution", execution.id, { status: "succeeded" });
		publishUpdated(parts.eventBus, { ...execution, status: "succeeded" });
		await following;
		over.abort();
		const whole = `${page.repeat(100)}${cut}${secret.slice(9)}${page.slice(0, 30_000)}`;
		assert.ok(slowly === whole, "the follower has read something else");
		assert.ok(kept.map((event) => readOutputChunk(event).data).join("") === whole, "the bus has told something else");
		const stored = await parts.storage.find("output_chunk", { where: { execution_id: execution.id }, orderBy: [["sequence", "asc"]] });
		assert.ok(stored.map(({ data }) => data).join("") === whole, "something else is stored");
		assert.ok(!stored.map(toMaskedText).join("").includes(secret));
		let ends = 0;
		for (const chunk of stored) {
			assert.equal(chunk.lines_before, ends);
			ends += toMaskedText(chunk).split("\n").length - 1;
		}
		assert.equal(recorder.captured("stdout").bytes, whole.length);
	});
}

exceptOnPostgres("who follows alone takes what is at hand without a wait, each chunk once and none of another channel", async () => {
	const parts = await createParts();
	const execution = createRunning();
	await parts.storage.insert("execution", [execution]);
	const over = new AbortController();
	const follow = (options: { readonly type?: OutputType } = {}) =>
		parts.output.followShared(execution.id, { ...options, signal: over.signal });
	const [follower, errors] = [follow(), follow({ type: "stderr" })];
	assert.equal(follower.takeCached(), undefined);
	const recorder = recorderFor(parts, execution);
	const first = follower.next();
	await recorder.emitBytes("stdout", Buffer.from(long));
	const seen = [(await first).value?.sequence];
	assert.ok(follower.isOnlySubscriber);
	await recorder.emit("stderr", "an error\n");
	for (let count = 0; count < 8; count += 1) await recorder.emitBytes("stdout", Buffer.from(long));
	while ((await parts.storage.count("output_chunk", { execution_id: execution.id })) < 10) await pause(20);
	const texts: string[] = [];
	for (let count = 0; count < 3; count += 1) {
		const given = [(await follower.next()).value as OutputChunk];
		for (let chunk = follower.takeCached(); chunk !== undefined; ) {
			given.push(chunk);
			chunk = given.length < 3 ? follower.takeCached() : undefined;
		}
		seen.push(...given.map(({ sequence }) => sequence));
		texts.push(...given.map(({ data }) => data));
	}
	assert.deepEqual(
		seen,
		seen.map((_sequence, index) => index + 1),
	);
	assert.ok(texts.length > 3, `${texts.length} chunks`);
	assert.ok(texts.join("") === `an error\n${long.repeat(texts.length - 1)}`, "something else was read");
	assert.equal((await errors.next()).value?.data, "an error\n");
	assert.equal(errors.takeCached(), undefined);
	assert.ok(!follower.isOnlySubscriber && !errors.isOnlySubscriber);
	over.abort();
	assert.equal(follower.takeCached(), undefined);
});

exceptOnPostgres("what a run prints last does not push out what comes before it for those who are behind", async () => {
	const parts = await createParts();
	const execution = createRunning();
	await parts.storage.insert("execution", [execution]);
	let isGone = false;
	const storage = Object.assign(Object.create(parts.storage) as Storage, {
		find: (...given: Parameters<Storage["find"]>) => {
			if (isGone && given[0] === "output_chunk") throw new Error("output was looked for in the storage");
			return parts.storage.find(...given);
		},
	});
	const over = new AbortController();
	const output = new OutputReader({ storage, eventBus: parts.eventBus });
	const follower = output.follow(execution.id, { signal: over.signal })[Symbol.asyncIterator]();
	const recorder = recorderFor(parts, execution);
	const bytes = Buffer.from(long);
	const first = follower.next();
	await recorder.emitBytes("stdout", bytes);
	// By then it is told of all that comes.
	await first;
	for (let count = 1; count < 8; count += 1) await recorder.emitBytes("stdout", bytes);
	while ((await parts.storage.count("output_chunk", { execution_id: execution.id })) < 8) await pause(20);
	for (let count = 0; count < 5; count += 1) void recorder.emitBytes("stdout", bytes);
	const rest = await recorder.finish();
	assert.equal(rest.length, 5);
	for (const chunk of rest) publishOutput(parts.eventBus, chunk);
	isGone = true;
	for (let sequence = 2; sequence <= 13; sequence += 1) assert.equal((await follower.next()).value?.sequence, sequence);
	over.abort();
});

exceptOnPostgres("while runs print much, many who follow stand back, and all of them are given what there is", async () => {
	const parts = await createParts();
	const execution = createRunning();
	await parts.storage.insert("execution", [execution]);
	let asked = 0;
	const floods = {
		get isActive() {
			asked += 1;
			return true;
		},
	};
	const output = new OutputReader({ storage: parts.storage, eventBus: parts.eventBus, bulkOutput: floods });
	const over = new AbortController();
	const followers = Array.from({ length: 3 * followersPerTurn }, () =>
		output.follow(execution.id, { signal: over.signal })[Symbol.asyncIterator](),
	);
	const recorder = recorderFor(parts, execution);
	// Who comes to be there only now does not wait with the others.
	for (let round = 0; asked === 0; round += 1) {
		assert.ok(round < 50, "nobody asks whether runs print much");
		const given = followers.map((follower) => follower.next());
		await recorder.emit("stdout", "much\n");
		for (const one of given) assert.equal((await one).value?.data, "much\n");
	}
	over.abort();
});

exceptOnPostgres("the chunks of a flood are stored many at a time", async () => {
	const parts = await createParts();
	const run = async () => {
		let writes = 0;
		const store = async () => {
			writes += 1;
			await pause(1);
		};
		const recorder = new OutputWriter({ ...toRecorderOptions(parts, createRunning()), store });
		for (let count = 0; count < 64; count += 1) {
			await recorder.emit("stdout", "x".repeat(65_536));
			await pause(1);
		}
		await recorder.finish();
		return writes;
	};
	// On a machine that stands still now and then it waits in vain.
	const counts: number[] = [];
	for (let count = 0; count < 8; count += 1) counts.push(await run());
	assert.ok(Math.min(...counts) <= 32, counts.join());
});

test.run();
