import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, RunAborted } from "../contract/index.ts";
import { mockRunner } from "./mock-runner.ts";
import { createRunContext, type RunContextOptions } from "./run-context.ts";

const createRun = (options: RunContextOptions = {}) => createRunContext(mockRunner().create(), options);
const step = (key: string) => ({ key, action: "tests.step", parameters: { n: 1 } });

test("children end as the test says, by default at once", async () => {
	const { children } = createRun();
	const id = await children.start(step("one"));
	assert.equal(await children.start({ ...step("one"), action: "tests.other" }), id);
	assert.deepEqual(await children.result(id), {});
	const decided = createRun({ onChild: async ({ key }) => (key === "bad" ? { status: "failed", result: { why: key } } : undefined) });
	const bad = await decided.children.start(step("bad"));
	assert.equal((await decided.children.ended(bad)).status, "failed");
	assert.deepEqual(await decided.children.result(bad), { why: "bad" });
	const open = await decided.children.start(step("open"));
	assert.deepEqual((await decided.children.whenOpen()).parameters, { n: 1 });
	decided.children.end("open", { status: "pending", result: { ttl: 1 } });
	assert.equal((await decided.children.find("open"))?.hasEnded, false);
	await decided.children.cancel(open);
	decided.children.end("open");
	assert.equal((await decided.children.ended(open)).status, "canceled");
	assert.throws(() => decided.children.end("none"), /no child "none"/);
});

test("changes tell of every child and end with the run", async () => {
	const run = createRun({ onChild: () => undefined });
	await run.children.start(step("one"));
	const told: string[] = [];
	for await (const { key, status } of run.children.changes()) {
		told.push(`${key} ${status}`);
		if (told.length === 1) await run.children.start(step("two"));
		if (told.length === 2) run.children.end("one");
		if (told.length === 3) run.abort("cancel");
	}
	assert.deepEqual(told, ["one running", "two running", "one succeeded"]);
});

test("a wait ends with the signal of the run, or another one", async () => {
	const run = createRun({ onChild: () => undefined });
	const id = await run.children.start(step("one"));
	const other = new AbortController();
	const ended = run.children.ended(id);
	const longer = run.children.ended(id, { signal: other.signal });
	run.abort("timeout");
	await assert.rejects(ended, (error) => error instanceof RunAborted && error.kind === "timeout");
	run.children.end("one");
	assert.equal((await longer).status, "succeeded");
});

test("a run that has lost its execution starts and stores nothing, and the next one has its children", async () => {
	const first = createRun();
	await first.children.start(step("one"));
	first.lose();
	for (const call of [() => first.children.start(step("two")), () => first.saveState({}), () => first.emit("stdout", "x")]) {
		await assert.rejects(call(), (error) => isSvcError(error, "SVC_CONFLICT"));
	}
	const second = createRun({ after: first });
	assert.deepEqual(
		(await second.children.list()).map(({ key }) => key),
		["one"],
	);
	await assert.rejects(second.children.pause("0".repeat(24)), (error) => isSvcError(error, "SVC_NOT_FOUND"));
});

test.run();
