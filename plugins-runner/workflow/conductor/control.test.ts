import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { TestWorkflow } from "./definition.test-support.ts";
import { Rehearsal } from "./rehearsal.test-support.ts";

const two: TestWorkflow = {
	tasks: { a: { next: [{ do: ["c"] }] }, b: {}, c: {} },
	output: [["x", 1]],
};

test("a pause starts nothing new, asks what is active to pause, and is over when nothing is", async () => {
	const rehearsal = new Rehearsal(two);
	await rehearsal.begin();
	const paused = await rehearsal.tell({ type: "pause" });
	assert.deepEqual([paused.pause.length, paused.end], [2, undefined]);
	assert.deepEqual((await rehearsal.come("a")).start, []);
	assert.deepEqual((await rehearsal.come("b")).end, { status: "paused", result: { output: null } });
	await rehearsal.restore();
	const { start } = await rehearsal.tell({ type: "continue", isResumed: true });
	assert.equal(start.length, 1);
	assert.equal((await rehearsal.come("c")).end?.status, "succeeded");
});

test("a pause with nothing left is an end", async () => {
	const rehearsal = new Rehearsal({ tasks: { a: {} } });
	await rehearsal.begin();
	await rehearsal.tell({ type: "pause" });
	assert.equal((await rehearsal.come("a")).end?.status, "succeeded");
});

test("a failure while it pauses is a failure", async () => {
	const rehearsal = new Rehearsal(two);
	await rehearsal.begin();
	await rehearsal.tell({ type: "pause" });
	await rehearsal.come("b");
	await rehearsal.come("a", "failed");
	assert.equal(rehearsal.last?.end?.status, "paused");
	const other = new Rehearsal({ tasks: { a: {}, b: {} } });
	await other.begin();
	await other.tell({ type: "pause" });
	await other.come("a", "failed");
	assert.equal((await other.come("b")).end?.status, "failed");
});

test("a question asks for a pause, which waits for others, and starts nothing new", async () => {
	const rehearsal = new Rehearsal({
		tasks: { ask: { next: [{ publish: [["x", "<% result().response %>"]] }] }, a: { next: [{ do: ["c"] }] }, c: {} },
		output: [["x", "<% ctx(x) %>"]],
	});
	await rehearsal.begin();
	const asked = await rehearsal.come("ask", "pending");
	assert.deepEqual([asked.request, asked.end, asked.tasks[0]?.status], ["pause", undefined, "pending"]);
	await rehearsal.tell({ type: "pause" });
	const step = await rehearsal.come("a");
	assert.deepEqual([step.start, step.end?.status], [[], "paused"]);
	await rehearsal.restore();
	// What has become of the question is told behind `continue`.
	assert.equal((await rehearsal.tell({ type: "continue", isResumed: true })).end, undefined);
	await rehearsal.come("ask", { result: { response: "yes" } });
	assert.deepEqual((await rehearsal.come("c")).end?.result, { output: { x: "yes" } });
});

test("one that is resumed without an answer goes on with the rest, and pauses again", async () => {
	const rehearsal = new Rehearsal({ tasks: { ask: {}, a: { next: [{ do: ["c"] }] }, c: {} } });
	await rehearsal.begin();
	await rehearsal.come("ask", "pending");
	await rehearsal.come("a");
	await rehearsal.tell({ type: "continue", isResumed: true });
	const { request, end } = await rehearsal.come("c");
	assert.deepEqual([request, end?.status], ["pause", "paused"]);
});

test("a question that is answered while others run needs no pause to go on", async () => {
	const rehearsal = new Rehearsal({ tasks: { ask: {}, a: {} } });
	await rehearsal.begin();
	await rehearsal.come("ask", "pending");
	await rehearsal.come("ask", "succeeded");
	assert.equal((await rehearsal.come("a")).end?.status, "succeeded");
});

test("a workflow below that has paused by itself lets others run, then this one pauses", async () => {
	const rehearsal = new Rehearsal({ tasks: { sub: {}, a: { next: [{ do: ["c"] }] }, c: {} } });
	await rehearsal.begin();
	const [key = ""] = rehearsal.open("sub");
	assert.equal((await rehearsal.come("sub", "paused")).request, undefined);
	assert.equal((await rehearsal.come("a")).start.length, 1);
	const { request, end } = await rehearsal.come("c");
	assert.deepEqual([request, end?.status], ["pause", "paused"]);
	await rehearsal.restore();
	assert.deepEqual((await rehearsal.tell({ type: "continue", isResumed: true })).resume, [key]);
	// What was told before it was asked to go on.
	const late = await rehearsal.come("sub", "paused");
	assert.deepEqual([late.resume, late.end], [[key], undefined]);
	assert.equal((await rehearsal.come("sub", "succeeded")).end?.status, "succeeded");
});

test("a cancel ends everything, questions as well, and waits for it", async () => {
	const rehearsal = new Rehearsal({
		tasks: { a: { next: [{ do: ["c"] }] }, ask: {}, c: {}, late: { action: null, delay: 9 } },
		output: [["x", 1]],
	});
	await rehearsal.begin();
	await rehearsal.come("ask", "pending");
	const { cancel, end } = await rehearsal.tell({ type: "cancel" });
	assert.deepEqual([cancel.length, end], [2, undefined]);
	await rehearsal.come("ask", "canceled");
	await rehearsal.restore();
	assert.equal((await rehearsal.tell({ type: "continue", isResumed: false })).cancel.length, 1);
	assert.deepEqual((await rehearsal.come("a", "succeeded")).end, { status: "canceled", result: { output: { x: 1 } } });
	const statuses = rehearsal.conductor.progress().tasks.map(({ name, status }) => `${name} ${status}`);
	assert.deepEqual(statuses, ["a succeeded", "ask canceled", "late canceled"]);
});

test("a child that somebody cancels takes the workflow with it", async () => {
	const rehearsal = new Rehearsal({ tasks: { a: {}, b: {} } });
	await rehearsal.begin();
	const { request, cancel, end } = await rehearsal.come("a", "canceled");
	assert.deepEqual([request, cancel, end], ["cancel", rehearsal.open("b"), undefined]);
	assert.equal((await rehearsal.come("b", "canceled")).end?.status, "canceled");
});

test("a failed workflow waits for what runs, and ends what waits for somebody", async () => {
	const rehearsal = new Rehearsal({
		tasks: { a: {}, b: { next: [{ publish: [["x", "<% result().v %>"]], do: ["c"] }] }, c: {}, ask: {} },
		output: [["x", "<% ctx(x) %>"]],
	});
	await rehearsal.begin();
	await rehearsal.come("ask", "pending");
	await rehearsal.come("a", "failed");
	const { start, cancel, end } = await rehearsal.come("b", { result: { v: 1 } });
	assert.deepEqual([start, cancel, end], [[], rehearsal.open("ask"), undefined]);
	const last = await rehearsal.come("ask", "canceled");
	assert.deepEqual([last.end?.status, last.end?.result.output], ["failed", { x: 1 }]);
});

test("cancel and time-out before it has begun", async () => {
	for (const [type, status] of [
		["cancel", "canceled"],
		["timeout", "timeout"],
	] as const) {
		const rehearsal = new Rehearsal({ tasks: { a: {} } });
		const { end, start } = await rehearsal.tell({ type: "begin", parameters: {}, system: {} }, { type });
		assert.deepEqual([end?.status, start], [status, []]);
	}
});

test("the end is told again after a crash", async () => {
	const rehearsal = new Rehearsal({
		tasks: { a: { next: [{ publish: [["big", "<% result().text %>"]] }] } },
		output: [["x", "<% ctx(big) %>"]],
	});
	const text = "t".repeat(5000);
	await rehearsal.begin();
	const { end } = await rehearsal.come("a", { result: { text } });
	await rehearsal.restore();
	assert.deepEqual((await rehearsal.tell({ type: "continue", isResumed: false })).end, end);
	assert.equal((await rehearsal.tell({ type: "cancel" })).entry, undefined);
});

test("lines and tasks tell what has begun and ended", async () => {
	const rehearsal = new Rehearsal({ tasks: { a: { retry: { count: 1 } } } });
	assert.deepEqual((await rehearsal.begin()).lines, ["task a started"]);
	assert.deepEqual((await rehearsal.come("a", "failed")).lines, ["task a is tried again"]);
	const { lines, tasks } = await rehearsal.come("a");
	assert.deepEqual(lines, ["task a succeeded"]);
	assert.deepEqual([tasks[0]?.status, tasks[0]?.attempts, tasks[0]?.execution_ids], ["succeeded", 2, ["x0", "x1"]]);
});

test("a long journal is replayed in many turns of the event loop", async () => {
	const rehearsal = new Rehearsal({ tasks: { a: {} } });
	await rehearsal.begin();
	rehearsal.entries.push({ at: rehearsal.now, facts: Array.from({ length: 1_000_000 }, () => ({ fact: "due", task: 0 })) });
	let [turns, isOver] = [0, false];
	const count = () => {
		turns += 1;
		if (!isOver) setImmediate(count);
	};
	setImmediate(count);
	await rehearsal.restore();
	isOver = true;
	assert.ok(turns >= 5, `${turns} turns`);
	assert.equal((await rehearsal.come("a")).end?.status, "succeeded");
});

test.run();
