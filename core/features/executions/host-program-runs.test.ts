import * as assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "uvu";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import { createEngine } from "../../service/service.ts";
import { countingBus } from "../../testing/engine/counting-bus.test-support.ts";
import { principal, startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => void unhandled.push(reason);

function withEngine(name: string, body: (running: TestEngine & { followers(): number }) => Promise<void>): void {
	test(name, async () => {
		process.on("unhandledRejection", onUnhandled);
		const bus = countingBus();
		const running = await startEngine({ eventBus: bus.plugin, options: { actionrunner: { graceful_shutdown: false } } });
		try {
			await body({ ...running, followers: bus.followers });
			await running.stop();
			await new Promise((resolve) => setImmediate(resolve));
			assert.equal(bus.followers(), 0);
			assert.deepEqual(unhandled.splice(0), []);
		} finally {
			await running.stop();
			process.off("unhandledRejection", onUnhandled);
		}
	});
}

async function read(run: ReturnType<Engine["run"]>): Promise<string> {
	let text = "";
	for await (const { data } of run.output) text += data;
	return text;
}

withEngine("a run gives its output as it is written, then the execution at its end", async ({ engine }) => {
	const run = engine.run("default.scripted", { lines: ["one", "two"] });
	const created = await run.created;
	assert.deepEqual([created.status, created.user], ["requested", "svc"]);
	assert.equal(await read(run), "one\ntwo\n");
	const { id, status, result } = await run.ended;
	assert.deepEqual([id, status, result?.["stdout"]], [created.id, "succeeded", "one\ntwo\n"]);
	assert.equal(await read(run), "one\ntwo\n", "a later loop begins with the first chunk again");
});

withEngine("a run that fails ends failed, which is no error of the program", async ({ engine }) => {
	assert.equal((await engine.run("default.scripted", { outcome: "fail" }).ended).status, "failed");
});

withEngine("user, trace, delay and principal go with the execution", async ({ engine }) => {
	const run = engine.run("default.scripted", {}, { user: "ann", trace: { tag: "release" }, delay: 20 });
	const { user, delay, trace_id: id } = await run.created;
	assert.deepEqual([user, delay, (await run.ended).status], ["ann", 20, "succeeded"]);
	assert.equal((await engine.traces.get(id)).trace.trace_tag, "release");
	const joined = await engine.run("default.scripted", {}, { trace: { id }, principal }).created;
	assert.deepEqual([joined.trace_id, joined.user], [id, principal.username]);
	const weak = { ...principal, isAdmin: false };
	await assert.rejects(engine.run("default.scripted", {}, { principal: weak, user: "ann" }).created, { code: "SVC_FORBIDDEN" });
});

withEngine("what is wrong with a request is told by whatever is awaited, and by nothing else", async ({ engine }) => {
	const run = engine.run("default.nothing");
	for (const promise of [run.created, run.ended, run.cancel(), read(run)]) {
		await assert.rejects(promise, { code: "SVC_NOT_FOUND", message: /default\.nothing/ });
	}
	await assert.rejects(engine.run("default.scripted", { colour: "red" }).created, { code: "SVC_INVALID", message: /colour/ });
	engine.run("default.nothing");
	engine.run("default.nothing", {}, { signal: new AbortController().signal });
});

withEngine("leaving the loop early neither cancels the execution nor holds anything", async ({ engine, followers }) => {
	const run = engine.run("default.scripted", { lines: ["one", "two", "three"] });
	for await (const { sequence } of run.output) {
		assert.equal(sequence, 1);
		break;
	}
	assert.equal(followers(), 0);
	const { status, result } = await run.ended;
	assert.deepEqual([status, result?.["stdout"]], ["succeeded", "one\ntwo\nthree\n"]);
	assert.equal(followers(), 0);
});

withEngine("a signal cancels the execution, and is let go when that has ended", async ({ engine }) => {
	const controller = new AbortController();
	const { signal } = controller;
	const done = engine.run("default.scripted", {}, { signal });
	await done.ended;
	await new Promise((resolve) => setImmediate(resolve));
	assert.equal(getEventListeners(signal, "abort").length, 0);
	const hanging = engine.run("default.scripted", { outcome: "hang", lines: ["x"] }, { signal });
	for await (const { data } of hanging.output) {
		assert.equal(data, "x\n");
		controller.abort();
	}
	assert.equal((await hanging.ended).status, "canceled");
	await assert.rejects(engine.run("default.scripted", {}, { signal }).created, { name: "AbortError" });
	assert.equal((await engine.executions.list({ filter: {} })).total, 2);
});

withEngine("many runs at once share a signal without a warning, and it cancels all of them", async ({ engine }) => {
	const warnings: Error[] = [];
	const note = (warning: Error) => void warnings.push(warning);
	process.on("warning", note);
	try {
		const controller = new AbortController();
		const runs = Array.from({ length: 12 }, () => engine.run("default.scripted", { outcome: "hang" }, { signal: controller.signal }));
		for (const run of runs) await run.created;
		assert.equal(getEventListeners(controller.signal, "abort").length, 1);
		controller.abort();
		for (const run of runs) assert.equal((await run.ended).status, "canceled");
		// Warnings come with the next tick.
		await new Promise((resolve) => setImmediate(resolve));
		assert.deepEqual(warnings, []);
	} finally {
		process.off("warning", note);
	}
});

withEngine("a signal that aborts while the execution is being created cancels it", async ({ engine }) => {
	const controller = new AbortController();
	const run = engine.run("default.scripted", { outcome: "hang" }, { signal: controller.signal });
	controller.abort();
	assert.equal((await run.ended).status, "canceled");
});

withEngine("a run can be canceled, and too late is no error", async ({ engine }) => {
	const run = engine.run("default.scripted", { outcome: "hang" });
	await run.cancel();
	assert.equal((await run.ended).status, "canceled");
	await run.cancel();
});

withEngine("a stop ends what runs, and tells those who wait for what it leaves to the next start", async ({ engine }) => {
	const running = engine.run("default.scripted", { outcome: "hang", lines: ["x"] });
	const delayed = engine.run("default.scripted", {}, { delay: 600_000 });
	const pieces: string[] = [];
	const reading = (async () => {
		for await (const { data } of running.output) pieces.push(data);
	})();
	const { ended } = running;
	const [waiting, following] = [delayed.ended, read(delayed)];
	following.catch(() => {});
	while (pieces.length === 0) await new Promise((resolve) => setImmediate(resolve));
	await engine.stop();
	await reading;
	assert.ok(["abandoned", "canceled"].includes((await ended).status));
	for (const promise of [waiting, following]) await assert.rejects(promise, { code: "SVC_UNAVAILABLE", message: /before execution/ });
});

test("an engine that has not been started, or has been stopped, says so", async () => {
	const engine = createEngine({ storage: memoryStorage(), event_bus: memoryBus(), runners: [], auth: { enable: false } });
	await assert.rejects(engine.run("core.noop").created, { code: "SVC_UNAVAILABLE", message: /not been started/ });
	const running = await startEngine();
	await running.stop();
	await assert.rejects(running.engine.run("default.scripted").ended, { code: "SVC_UNAVAILABLE", message: /been stopped/ });
});

test.run();
