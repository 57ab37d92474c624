import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../../core/contract/index.ts";
import { Conductor } from "./conductor.ts";
import { type TestWorkflow, toDefinition } from "./definition.test-support.ts";
import { assertCanRerun, readProgress } from "./progress.ts";
import { type Outcome, Rehearsal } from "./rehearsal.test-support.ts";

const succeeded = "<% succeeded() %>";
const sequence: TestWorkflow = {
	tasks: {
		a: { next: [{ when: succeeded, publish: [["x", "<% result().v %>"]], do: ["b"] }] },
		b: { next: [{ when: succeeded, do: ["c"] }] },
		c: { input: { x: "<% ctx(x) %>" } },
	},
	output: [
		["x", "<% ctx(x) %>"],
		["user", "<% ctx().svc.user %>"],
	],
};
const diamond: TestWorkflow = {
	tasks: {
		a: { next: [{ when: succeeded, publish: [["l", "<% result().v %>"]], do: ["j"] }] },
		b: { next: [{ when: succeeded, publish: [["r", "<% result().v %>"]], do: ["j"] }] },
		j: { join: "all" },
	},
	output: [
		["l", "<% ctx(l) %>"],
		["r", "<% ctx(r) %>"],
	],
};
const v = (value: string): Outcome => ({ result: { v: value } });
const bad: Outcome = { status: "failed", result: { v: "bad" } };

/** Another execution takes up what an earlier one has come to. */
async function takeUp(earlier: Rehearsal, tasks: readonly string[], reset: readonly string[] = []): Promise<Rehearsal> {
	const later = new Rehearsal(earlier.workflow, "run2");
	for (const [id, result] of earlier.results) later.results.set(`old ${id}`, result);
	// Children of both have ids of their own.
	const entries = JSON.parse(JSON.stringify(earlier.entries).replace(/"x(\d+)"/g, '"old x$1"'));
	later.conductor = await Conductor.createPartialRerun(toDefinition(earlier.workflow), entries, { tasks, reset }, later.tools());
	return later;
}

async function ended(workflow: TestWorkflow, outcomes: Record<string, Outcome | readonly Outcome[]>): Promise<Rehearsal> {
	const rehearsal = new Rehearsal(workflow);
	await rehearsal.run(outcomes);
	return rehearsal;
}

test("a failed task runs again with what it saw, and the rest follows", async () => {
	for (const tasks of [["b"], [], ["b", "c"].slice(0, 1)]) {
		const later = await takeUp(await ended(sequence, { a: v("kept"), b: bad }), tasks);
		const end = await later.run();
		assert.deepEqual([end.end?.status, end.end?.result.output, later.started], ["succeeded", { x: "kept", user: "ann" }, ["b", "c"]]);
		const { tasks: states, definition } = await readProgress(later.entries);
		assert.deepEqual(
			states.map(({ name, status }) => `${name} ${status}`),
			["a succeeded", "b succeeded", "c succeeded"],
		);
		assert.equal(definition, toDefinition(sequence).text);
	}
});

test("a task that has succeeded runs again, and what stands behind it once", async () => {
	const later = await takeUp(await ended(sequence, { a: v("old") }), ["a", "c"]);
	const { end } = await later.run({ a: v("new") });
	assert.deepEqual([end?.result.output, later.started], [{ x: "new", user: "ann" }, ["a", "b", "c"]]);
});

test("branches that a join has seen still count", async () => {
	for (const [outcomes, tasks, started, output] of [
		[{ a: v("l"), b: bad }, ["b"], ["b", "j"], { l: "l", r: "new" }],
		[{ a: v("l"), b: v("r") }, ["a"], ["a", "j"], { l: "new", r: "r" }],
		[{ a: v("l"), b: v("r") }, ["j"], ["j"], { l: "l", r: "r" }],
		[{ a: bad, b: bad }, [], ["a", "b", "j"], { l: "new", r: "new" }],
	] as const) {
		const later = await takeUp(await ended(diamond, outcomes), tasks);
		const { end } = await later.run({ a: v("new"), b: v("new") });
		assert.deepEqual([end?.status, later.started, end?.result.output], ["succeeded", started, output]);
	}
});

test("a failure that nobody wants to run again is still one", async () => {
	const later = await takeUp(await ended({ tasks: { a: {}, b: {} } }, { a: bad, b: bad }), ["a"]);
	const { end } = await later.run();
	assert.deepEqual([end?.status, later.started, later.errors()], ["failed", ["a"], ["b: Execution failed. See result for details."]]);
});

test("items that have succeeded keep their results, unless they are reset", async () => {
	const workflow: TestWorkflow = {
		tasks: { a: { items: "<% [1, 2, 3, 4] %>", input: { n: "<% item() %>" }, next: [{ publish: [["all", "<% result() %>"]] }] } },
		output: [["all", "<% ctx(all) %>"]],
	};
	const old = { v: "old" };
	const fresh = { v: "new" };
	const outcomes = { a: [v("old"), bad, v("old"), bad] };
	const kept = await takeUp(await ended(workflow, outcomes), ["a"]);
	assert.deepEqual((await kept.run({ a: v("new") })).end?.result.output, { all: [old, fresh, old, fresh] });
	assert.deepEqual(
		[...kept.requests.values()].map(({ parameters }) => parameters?.["n"]),
		[2, 4],
	);
	const reset = await takeUp(await ended(workflow, outcomes), ["a"], ["a"]);
	assert.deepEqual((await reset.run({ a: v("new") })).end?.result.output, { all: [fresh, fresh, fresh, fresh] });
});

test("tasks of a workflow below are taken up by its child", async () => {
	const earlier = await ended(sequence, { a: v("x"), b: bad });
	const later = await takeUp(earlier, ["b.inner", "b.deep.er"], ["b.inner"]);
	const { start } = await later.begin();
	assert.deepEqual(start[0]?.takesUp, { execution_id: "old x1", tasks: ["inner", "deep.er"], reset: ["inner"] });
	const whole = await takeUp(earlier, ["b.inner", "b"]);
	assert.equal((await whole.begin()).start[0]?.takesUp, undefined);
});

test("what a failure or a cancel has interrupted goes on", async () => {
	const workflow: TestWorkflow = { tasks: { a: {}, b: { next: [{ do: ["c"] }] }, c: {} } };
	const failed = await ended(workflow, { a: bad });
	assert.deepEqual(failed.started, ["a", "b"]);
	const later = await takeUp(failed, ["a"]);
	assert.equal((await later.run()).end?.status, "succeeded");
	assert.deepEqual(later.started, ["a", "c"]);
	const canceled = new Rehearsal(workflow);
	await canceled.begin();
	await canceled.come("b");
	await canceled.tell({ type: "cancel" });
	await canceled.come("a", "canceled");
	await canceled.come("c", "canceled");
	const again = await takeUp(canceled, ["a"]);
	assert.equal((await again.run()).end?.status, "succeeded");
	assert.deepEqual(again.started, ["a", "c"]);
});

test("what was taken up can be taken up again, and restored", async () => {
	const second = await takeUp(await ended(sequence, { a: v("kept"), b: bad }), ["b"]);
	await second.run({ b: "succeeded", c: bad });
	const third = new Rehearsal(sequence, "run3");
	third.results.set("old x0", { v: "kept" });
	third.conductor = await Conductor.createPartialRerun(toDefinition(sequence), second.entries, { tasks: ["c"], reset: [] }, third.tools());
	await third.begin({}, { svc: { user: "bob" } });
	await third.restore();
	assert.deepEqual((await third.come("c")).end?.result.output, { x: "kept", user: "bob" });
});

test("what cannot be taken up is refused", async () => {
	const { entries } = await ended(sequence, { a: bad });
	const good = await ended(sequence, {});
	for (const [journal, tasks, reset] of [
		[entries, ["nothing"], []],
		[entries, ["b"], []],
		[entries, ["a"], ["b"]],
		[good.entries, [], []],
	] as const) {
		await assert.rejects(assertCanRerun(journal, tasks, reset), (error) => isSvcError(error, "SVC_INVALID"));
	}
	await assertCanRerun(entries, ["a"], ["a"]);
});

test.run();
