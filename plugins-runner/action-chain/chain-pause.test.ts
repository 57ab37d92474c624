import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonObject, RunResult } from "../../core/contract/index.ts";
import {
	type ChainContext,
	ChainFiles,
	type ChainOptions,
	createChainContext,
	createRunner,
	tasksOf,
	untilChild,
} from "./chain.test-support.ts";

const files = new ChainFiles();
test.after(() => files.remove());

const answered = { schema: {}, roles: [], users: [], route: "", ttl: 5, response: { approved: true } };
const asking = {
	chain: [
		{ name: "one", ref: "t.one", "on-success": "ask" },
		{ name: "ask", ref: "core.ask", "on-success": "three", "on-failure": "four" },
		{ name: "three", ref: "t.three", parameters: { p: "{{ ask.result.response.approved }} {{ ask.response.approved }}" } },
		{ name: "four", ref: "t.four" },
	],
};
const file = files.write(asking);
const running = { status: "running" } as const;

interface Started {
	readonly context: ChainContext;
	readonly end: Promise<RunResult>;
}

/** A run that waits for its child of this key. */
async function startUntil(key: string, options: ChainOptions): Promise<Started> {
	const context = createChainContext(file, options);
	const end = createRunner().run(context);
	await untilChild(context, { key });
	return { context, end };
}

/** The host goes on with a run that was paused, in a process of its own. */
function goOn(after: ChainContext, options: ChainOptions = {}): Started {
	const context = createChainContext(file, { ...options, after });
	return { context, end: createRunner().recover?.(context, {}) as Promise<RunResult> };
}

test("a question pauses the chain, and its answer can be read in both places", async () => {
	const script = { ask: { status: "pending", result: { ttl: 5 } } } as const;
	const first = await startUntil("ask.2", { script });
	const paused = await first.end;
	assert.equal(paused.status, "paused");
	assert.deepEqual(first.context.requests, ["pause"]);
	assert.deepEqual(tasksOf(paused), ["one succeeded", "ask pending"]);
	assert.deepEqual((paused.result["tasks"] as readonly JsonObject[])[1]?.["result"], { ttl: 5 });
	first.context.children.end("ask.2", { result: answered });
	const second = goOn(first.context);
	const end = await second.end;
	assert.deepEqual(tasksOf(end), ["one succeeded", "ask succeeded", "three succeeded"]);
	assert.deepEqual(second.context.children.started.at(-1)?.parameters, { p: "True True" });
});

test("a chain that is resumed while its question is open asks it no second time", async () => {
	const first = await startUntil("ask.2", { script: { ask: { status: "pending" } } });
	await first.end;
	const second = goOn(first.context);
	assert.equal((await second.end).status, "paused");
	assert.equal(second.context.children.started.length, 2);
	second.context.children.end("ask.2", { status: "timeout" });
	const third = goOn(second.context);
	assert.deepEqual(tasksOf(await third.end), ["one succeeded", "ask timeout", "four succeeded"]);
});

test("a chain that is asked to pause waits for its task, and begins no other", async () => {
	const first = await startUntil("one.1", { script: { one: running } });
	first.context.pause();
	first.context.children.end("one.1");
	const paused = await first.end;
	assert.equal(paused.status, "paused");
	assert.deepEqual(tasksOf(paused), ["one succeeded"]);
	const second = goOn(first.context, { script: { ask: { result: answered } } });
	assert.deepEqual(tasksOf(await second.end), ["one succeeded", "ask succeeded", "three succeeded"]);
});

test("an end comes before a pause", async () => {
	const first = await startUntil("three.3", { script: { ask: { result: answered }, three: running } });
	first.context.pause();
	first.context.children.end("three.3");
	assert.equal((await first.end).succeeded, true);
});

test("a task that is made of others is paused with the chain, and goes on with it", async () => {
	const workflows = ["t.one"];
	const script = { one: running, ask: { result: answered } } as const;
	const first = await startUntil("one.1", { script, workflows });
	first.context.pause();
	await untilChild(first.context, { status: "pausing" });
	first.context.children.end("one.1", { status: "paused" });
	const paused = await first.end;
	assert.deepEqual(tasksOf(paused), ["one paused"]);
	const second = goOn(first.context, { script, workflows });
	await untilChild(second.context, { status: "running" });
	second.context.children.end("one.1");
	assert.deepEqual(tasksOf(await second.end), ["one succeeded", "ask succeeded", "three succeeded"]);
});

test("a task that was paused alone pauses the chain", async () => {
	const workflows = ["t.one"];
	const first = await startUntil("one.1", { script: { one: running }, workflows });
	first.context.children.end("one.1", { status: "paused" });
	assert.equal((await first.end).status, "paused");
	assert.deepEqual(first.context.requests, ["pause"]);
});

test("a chain that another process takes over while it pauses goes on pausing", async () => {
	const first = await startUntil("one.1", { script: { one: running } });
	first.context.pause();
	first.context.abort("shutdown");
	assert.equal((await first.end).status, "running");
	const context = createChainContext(file, { after: first.context });
	context.pause();
	context.children.end("one.1");
	const paused = await createRunner().recover?.(context, {});
	assert.deepEqual([paused?.status, tasksOf(paused ?? { result: {} })], ["paused", ["one succeeded"]]);
});

test("a chain that is canceled ends the task that runs, and keeps what has finished", async () => {
	for (const kind of ["cancel", "timeout"] as const) {
		const first = await startUntil("ask.2", { script: { ask: running } });
		first.context.abort(kind);
		const end = await first.end;
		assert.equal(end.succeeded, false);
		assert.deepEqual(tasksOf(end), ["one succeeded", "ask canceled"]);
		assert.equal(first.context.children.started[1]?.status, "canceled");
	}
});

test("a chain that is canceled while it is paused ends the task that stands still", async () => {
	const first = await startUntil("ask.2", { script: { ask: { status: "pending" } } });
	await first.end;
	const context = createChainContext(file, { after: first.context });
	context.abort("cancel");
	const end = await createRunner().recover?.(context, {});
	assert.equal(end?.succeeded, false);
	assert.deepEqual(tasksOf(end ?? { result: {} }), ["one succeeded", "ask canceled"]);
	assert.equal(context.children.started.length, 2);
});

test("what comes from outside is not rendered", async () => {
	const text = "{{ one.secret }}";
	const definition = {
		vars: { own: "{{ given }}" },
		chain: [
			{ name: "one", ref: "t.one", "on-success": "two", publish: { out: "{{ one.text }}" } },
			{
				name: "two",
				ref: "t.two",
				parameters: { p: "{{ out }} {{ own }} {{ one.text }}", list: ["{{ given }}"], "<% k %>": "<% ctx(x) %>" },
			},
		],
	};
	const context = createChainContext(files.write(definition), { actionParameters: { given: text }, script: { one: { result: { text } } } });
	const end = await createRunner().run(context);
	assert.deepEqual(end.result["published"], { out: text });
	assert.deepEqual(context.children.started[1]?.parameters, { p: `${text} ${text} ${text}`, list: [text], "<% k %>": "<% ctx(x) %>" });
});

test.run();
