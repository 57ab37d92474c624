import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineAuthBackend, defineRunner } from "../contract/index.ts";
import { exceptOn } from "../testing/backends/backend-names.test-support.ts";
import { principal, startEngine, type TestEngine } from "../testing/engine/engine.test-support.ts";

const exceptOnNats = exceptOn(["postgres-nats"], test);

/** Of the tests that look at nothing but what they submit themselves. */
let shared: Promise<TestEngine> | undefined;

test.after(async () => {
	await (await shared)?.stop();
});

/** One test with the engine of all such tests. */
function withEngine(name: string, body: (running: TestEngine) => Promise<void>): void {
	test(name, async () => body(await (shared ??= startEngine())));
}

/** One test with an engine of its own. */
function withOwnEngine(name: string, body: (running: TestEngine) => Promise<void>, options?: Parameters<typeof startEngine>[0]): void {
	exceptOnNats(name, async () => {
		const running = await startEngine(options);
		try {
			await body(running);
		} finally {
			await running.stop();
		}
	});
}

const statuses = (log: readonly { readonly status: string }[]) => log.map(({ status }) => status);

withEngine("an execution goes through every state in order and ends with its result", async ({ submit, settled }) => {
	const requested = await submit({ lines: ["a", "b"] });
	assert.equal(requested.status, "requested");
	assert.deepEqual(statuses(requested.log), ["requested"]);
	const ended = await settled(requested.id);
	assert.equal(ended.status, "succeeded");
	assert.deepEqual(statuses(ended.log), ["requested", "scheduled", "running", "succeeded"]);
	assert.deepEqual(ended.result, { stdout: "a\nb\n" });
	assert.equal(ended.result_size, JSON.stringify(ended.result).length);
	assert.ok(ended.end_timestamp !== null && ended.end_timestamp >= ended.start_timestamp);
	assert.equal(ended.owner, null);
});

withEngine("a failing action ends failed, a throwing runner fails with error and traceback", async ({ submit, settled }) => {
	assert.equal((await settled((await submit({ outcome: "fail" })).id)).status, "failed");
	const thrown = await settled((await submit({ outcome: "throw" })).id);
	assert.equal(thrown.status, "failed");
	assert.equal(thrown.result?.["error"], "the runner broke");
	assert.match(String(thrown.result?.["traceback"]), /the runner broke/);
});

withEngine("the parameter timeout ends the run with status timeout and keeps what was printed", async ({ submit, settled }) => {
	const ended = await settled((await submit({ outcome: "hang", lines: ["x"], timeout: 0.05 })).id);
	assert.equal(ended.status, "timeout");
	assert.equal(ended.result?.["stdout"], "x\n");
	assert.equal(ended.result?.["error"], "Action failed to complete in 0.05 seconds");
});

withEngine("a running execution is canceled by way of canceling", async ({ engine, submit, settled }) => {
	const { id } = await submit({ outcome: "hang" });
	await settled(id, "running");
	const { view, refused } = await engine.executions.cancel(id, principal);
	assert.equal(refused, undefined);
	assert.equal(view.entity.status, "canceling");
	const ended = await settled(id);
	assert.deepEqual(statuses(ended.log), ["requested", "scheduled", "running", "canceling", "canceled"]);
	assert.equal(ended.result?.["user"], "maria");
	assert.equal(ended.context["cancelled_by"], "maria");
});

withEngine("an execution that waits is canceled at once, a finished one is refused", async ({ engine, submit, settled }) => {
	const waiting = await submit({}, { delay: 60_000 });
	await settled(waiting.id, "delayed");
	const first = await engine.executions.cancel(waiting.id, principal);
	assert.deepEqual([first.view.entity.status, first.wasCanceled], ["canceled", false]);
	const again = await engine.executions.cancel(waiting.id, principal);
	assert.deepEqual([again.refused, again.wasCanceled], [undefined, true]);
	const done = await settled((await submit()).id);
	const { refused, view } = await engine.executions.cancel(done.id, principal);
	assert.match(String(refused), /succeeded/);
	assert.equal(view.entity.status, "succeeded");
});

withEngine("a delayed execution shows it and starts when it is due", async ({ submit, settled }) => {
	const started = Date.now();
	const { id } = await submit({}, { delay: 1_000 });
	const ended = await settled(id);
	assert.ok(Date.now() - started >= 999);
	assert.deepEqual(statuses(ended.log), ["requested", "delayed", "scheduled", "running", "succeeded"]);
});

withOwnEngine(
	"no more executions run at once than the pool allows",
	async ({ engine, submit, settled }) => {
		const ids = await Promise.all(Array.from({ length: 5 }, async () => (await submit({ outcome: "hang" })).id));
		const count = async (status: string) => (await engine.executions.list({ filter: { status } })).total;
		while ((await count("running")) < 2) await new Promise((resolve) => setTimeout(resolve, 2));
		assert.equal(await count("requested"), 3);
		for (const id of ids) {
			await engine.executions.cancel(id, principal);
			await settled(id);
		}
	},
	{ options: { actionrunner: { actions_pool_size: 2 } } },
);

withEngine("unknown actions are not found, disabled ones and bad parameters are refused by name", async ({ engine, submit }) => {
	const count = async () => (await engine.executions.list({ filter: {} })).total;
	const before = await count();
	await assert.rejects(submit({}, { action: "no.such" }), { code: "SVC_NOT_FOUND", message: /no\.such/ });
	await assert.rejects(submit({ colour: "red" }), { code: "SVC_INVALID", message: /colour/ });
	await assert.rejects(submit({ lines: "x" }), { code: "SVC_INVALID", message: /lines/ });
	await engine.actions.create({ name: "off", runner_type: "scripted", enabled: false });
	await assert.rejects(submit({}, { action: "default.off" }), { code: "SVC_INVALID", message: /disabled/ });
	assert.equal(await count(), before);
});

withOwnEngine("a template that cannot be rendered is refused and recorded as failed", async ({ engine, submit }) => {
	await assert.rejects(submit({ secret: "{{ secret }}" }), { code: "SVC_INVALID" });
	const { items } = await engine.executions.list({ filter: {} });
	assert.deepEqual(
		items.map(({ entity }) => entity.status),
		["failed"],
	);
});

withEngine("traces: a tag opens a new one each time, an id must exist, a child joins its parent's", async ({ engine, submit }) => {
	const context = { trace_context: { trace_tag: "ticket" } };
	const [first, second] = [await submit({}, { context }), await submit({}, { context })];
	assert.notEqual(first.trace_id, second.trace_id);
	const joined = await submit({}, { context: { trace_context: { id_: first.trace_id } } });
	assert.equal(joined.trace_id, first.trace_id);
	const unknown = { context: { trace_context: { id_: "0".repeat(24) } } };
	await assert.rejects(submit({}, unknown), { code: "SVC_INVALID", message: /trace/ });
	// The parameters are checked before the trace.
	await assert.rejects(submit({ colour: "red" }, unknown), { code: "SVC_INVALID", message: /colour/ });
	await assert.rejects(submit({ secret: "{{ secret }}" }, unknown), { code: "SVC_INVALID", message: /Cyclic/ });
	const child = await submit({}, { context: { parent: { execution_id: first.id } } });
	assert.equal(child.trace_id, first.trace_id);
	assert.equal(child.parent_id, first.id);
	assert.deepEqual((await engine.executions.get(first.id)).children, [child.id]);
	const below: string[] = [];
	for await (const { id } of await engine.executions.descendants(first.id, { depth: -1, sorted: false })) below.push(id);
	assert.deepEqual(below, [child.id]);
	assert.deepEqual(
		(await engine.executions.findByIds(["0".repeat(24), child.id])).map(({ entity }) => entity.id),
		[child.id],
	);
});

withEngine("a re-run overlays parameters, keeps masked ones and joins the trace", async ({ engine, submit, settled }) => {
	const old = await settled((await submit({ lines: ["a"], secret: "s3cret" })).id);
	const again = await engine.executions.rerun(old.id, { parameters: { secret: "********", timeout: 5 } }, principal);
	assert.deepEqual(again.entity.parameters, { lines: ["a"], secret: "s3cret", timeout: 5 });
	assert.equal(again.entity.trace_id, old.trace_id);
	assert.equal((again.entity.context["re-run"] as { ref: string }).ref, old.id);
	await assert.rejects(engine.executions.rerun(old.id, { tasks: ["a"], parameters: { timeout: 1 } }, principal), { code: "SVC_INVALID" });
});

withEngine(
	"a re-run takes stored values as they are: text with braces is not rendered a second time",
	async ({ engine, submit, settled }) => {
		const old = await settled((await submit({ secret: "{{ '{{ 1 + 1 }}' }}" })).id);
		assert.equal(old.parameters["secret"], "{{ 1 + 1 }}");
		const again = await engine.executions.rerun(old.id, { parameters: { lines: ["{{ 1 + 2 }}"] } }, principal);
		assert.deepEqual(again.entity.parameters, { secret: "{{ 1 + 1 }}", lines: ["3"] });
	},
);

withOwnEngine("a final status set from outside ends the run and stays", async ({ engine, submit, settled }) => {
	const { id } = await submit({ outcome: "hang" });
	await settled(id, "running");
	await engine.executions.setStatus(id, { status: "succeeded", result: { by: "hand" } }, principal);
	await engine.drain();
	const ended = await settled(id);
	assert.equal(ended.status, "succeeded");
	assert.deepEqual(ended.result, { by: "hand" });
	await assert.rejects(engine.executions.setStatus(id, { status: "failed" }, principal), { code: "SVC_INVALID" });
});

withOwnEngine(
	"stopping ends what still runs as abandoned after the grace",
	async ({ engine, submit, settled }) => {
		const { id } = await submit({ outcome: "hang" });
		await settled(id, "running");
		await engine.drain();
		assert.equal((await settled(id)).status, "abandoned");
	},
	{ options: { actionrunner: { exit_still_active_check: 0.05 } } },
);

exceptOnNats("an action has a token of its user while it runs, and not any longer", async () => {
	const authBackend = defineAuthBackend("nobody", () => ({ authenticate: async () => undefined }));
	const seen: string[] = [];
	const spy = defineRunner("spy", () => ({
		description: "Tells what it was given.",
		capabilities: { cancellation: true },
		parameters: { hang: { type: "boolean", default: false } },
		async run({ environment, runnerParameters, signal }) {
			const token = environment["SVC_ACTION_AUTH_TOKEN"] ?? "";
			seen.push(token);
			assert.equal((await engine.credentials.authenticate({ token, location: "header" })).username, "maria");
			if (runnerParameters.hang) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
			return { succeeded: true, result: { done: true } };
		},
	}));
	const { engine, storage, submit, settled, stop } = await startEngine({
		runners: [spy()],
		options: { auth: { enable: true, backend: authBackend() } },
	});
	try {
		await engine.actions.create({ name: "spy", runner_type: "spy" });
		const done = await settled((await submit({}, { action: "default.spy" })).id);
		assert.equal(done.status, "succeeded", JSON.stringify(done.result));
		const { id } = await submit({ hang: true }, { action: "default.spy" });
		await settled(id, "running");
		while (seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
		await engine.executions.setStatus(id, { status: "failed" }, principal);
		await engine.drain();
		assert.equal(await storage.count("token", {}), 0);
		assert.equal(seen.length, 2);
		for (const token of seen) assert.equal(await engine.credentials.validate(token), false);
	} finally {
		await stop();
	}
});

withOwnEngine("a disabled runner type fails its executions by name", async ({ engine, submit, settled }) => {
	await engine.runnerTypes.setEnabled("scripted", false);
	const ended = await settled((await submit()).id);
	assert.equal(ended.status, "failed");
	assert.match(String(ended.result?.["error"]), /scripted.*disabled/);
});

withOwnEngine("last is the most recently requested execution, and an error while there is none", async ({ engine, submit }) => {
	await assert.rejects(engine.executions.get("last"), { code: "SVC_INVALID" });
	await submit();
	const { id } = await submit();
	assert.equal((await engine.executions.get("last")).entity.id, id);
	await assert.rejects(engine.executions.get("xyz"), { code: "SVC_NOT_FOUND" });
});

exceptOnNats("the total of a list is that of all pages, on a full page, on the last one and behind it", async () => {
	const { engine, submit, settled, stop } = await startEngine();
	try {
		for (let count = 0; count < 5; count += 1) await settled((await submit()).id);
		const totalOf = async (page: { limit?: number; offset?: number }) => (await engine.executions.list({ filter: {}, ...page })).total;
		for (const page of [{}, { limit: 2 }, { limit: 2, offset: 4 }, { limit: 5 }, { limit: 2, offset: 9 }, { limit: 9 }]) {
			assert.equal(await totalOf(page), 5, JSON.stringify(page));
		}
	} finally {
		await stop();
	}
});

test.run();
