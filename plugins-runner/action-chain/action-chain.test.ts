import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonObject, RunResult } from "../../core/contract/index.ts";
import { SvcError } from "../../core/contract/index.ts";
import { testRunner } from "../../core/testing/runner-suite.ts";
import {
	type ChainContext,
	ChainFiles,
	type ChainOptions,
	chainExpressions,
	createChainContext,
	createRunner,
	nameOf,
	tasksOf,
} from "./chain.test-support.ts";
import { actionChain } from "./index.ts";

const files = new ChainFiles();
test.after(() => files.remove());

const three = {
	chain: [
		{ name: "c1", ref: "tests.one", "on-success": "c2", "on-failure": "c4" },
		{ name: "c2", ref: "tests.two", "on-success": "c3", "on-failure": "c4" },
		{ name: "c3", ref: "tests.three" },
		{ name: "c4", ref: "tests.clean" },
	],
	default: "c1",
};
const given = { entryPoint: files.write(three), expressions: chainExpressions };

testRunner({
	test,
	name: "action-chain",
	create: () => actionChain(),
	cases: {
		succeeds: given,
		fails: { ...given, onChild: ({ key }) => ({ status: key === "c4.2" || key === "c1.1" ? "failed" : "succeeded" }) },
		throws: { entryPoint: "/nonexistent/chain.yaml" },
		startsChildren: given,
	},
});

async function run(definition: string | JsonObject, options: ChainOptions = {}): Promise<RunResult & { readonly context: ChainContext }> {
	const context = createChainContext(files.write(definition), options);
	return { ...(await createRunner().run(context)), context };
}

const rows: readonly (readonly [string, JsonObject, ChainOptions["script"] & object, string, readonly string[]])[] = [
	["the next one after a success", three, {}, "succeeded", ["c1 succeeded", "c2 succeeded", "c3 succeeded"]],
	[
		"another one after a failure, which mends it",
		three,
		{ c2: { status: "failed" } },
		"succeeded",
		["c1 succeeded", "c2 failed", "c4 succeeded"],
	],
	["a time-out is a failure", three, { c2: { status: "timeout" } }, "succeeded", ["c1 succeeded", "c2 timeout", "c4 succeeded"]],
	["abandoned is a failure", three, { c1: { status: "abandoned" } }, "succeeded", ["c1 abandoned", "c4 succeeded"]],
	[
		"without a next one the chain ends as its last task",
		three,
		{ c1: { status: "failed" }, c4: { status: "timeout" } },
		"timeout",
		["c1 failed", "c4 timeout"],
	],
	[
		"an abandoned last task fails the chain",
		three,
		{ c3: { status: "abandoned" } },
		"failed",
		["c1 succeeded", "c2 succeeded", "c3 abandoned"],
	],
	[
		"a canceled task ends the chain, whatever would come next",
		three,
		{ c2: { status: "canceled" } },
		"canceled",
		["c1 succeeded", "c2 canceled"],
	],
	[
		"without default it begins with the first node that nothing leads to",
		{ chain: [...three.chain].reverse() },
		{},
		"succeeded",
		["c1 succeeded", "c2 succeeded", "c3 succeeded"],
	],
	["default may be any node", { ...three, default: "c2" }, {}, "succeeded", ["c2 succeeded", "c3 succeeded"]],
	[
		"nodes may go in circles",
		{ chain: [{ name: "a", ref: "t.a", "on-success": "a" }] },
		{ a: [{}, {}, { status: "failed" }] },
		"failed",
		["a succeeded", "a succeeded", "a failed"],
	],
];

for (const [name, definition, script, status, tasks] of rows) {
	test(`a chain runs its nodes: ${name}`, async () => {
		const end = await run(definition, { script });
		assert.equal(end.succeeded ? "succeeded" : (end.status ?? "failed"), status);
		assert.deepEqual(tasksOf(end), tasks);
	});
}

test("the result tells of the tasks, and the executions know their node", async () => {
	const definition = `
vars: {greeting: "hello {{ who }}"}
chain:
  - name: c1
    ref: tests.one
    description: says it
    params: {text: "{{ greeting }}"}
    on-success: c2
    publish: {said: "{{ c1.stdout }}!"}
  - {name: c2, ref: tests.two, parameters: {text: "{{ said }} {{ c1.stdout }}", n: 3}}
`;
	const end = await run(definition, { actionParameters: { who: "you" }, script: { c1: { result: { stdout: "hi" } } } });
	const [first, second] = end.context.children.started;
	assert.deepEqual([first?.parameters, second?.parameters], [{ text: "hello you" }, { text: "hi! hi", n: 3 }]);
	assert.deepEqual(first?.context, {
		chain: {
			name: "c1",
			ref: "tests.one",
			description: "says it",
			params: { text: "{{ greeting }}" },
			on_success: "c2",
			publish: { said: "{{ c1.stdout }}!" },
		},
	});
	assert.deepEqual(end.result["published"], { said: "hi!" });
	const [task] = end.result["tasks"] as readonly JsonObject[];
	const { created_at, updated_at, ...rest } = task as JsonObject;
	assert.deepEqual(rest, {
		id: "c1",
		name: "c1",
		execution_id: first?.id,
		liveaction_id: first?.liveaction_id,
		workflow: null,
		state: "succeeded",
		result: { stdout: "hi" },
	});
	for (const time of [created_at, updated_at]) assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
	assert.equal(end.context.text("other"), "task c1 started\ntask c1 succeeded\ntask c2 started\ntask c2 succeeded\n");
	assert.deepEqual(
		end.context.tasks.map(({ name, status, next }) => [name, status, next]),
		[
			["c1", "running", []],
			["c1", "succeeded", [{ to: "c2", transition: 0 }]],
			["c2", "running", []],
			["c2", "succeeded", []],
		],
	);
});

test("what was published is left out of the result where display_published is false", async () => {
	const definition = { chain: [{ name: "c1", ref: "tests.one", publish: { x: "1" } }] };
	assert.deepEqual((await run(definition)).result["published"], { x: "1" });
	assert.equal("published" in (await run(definition, { runnerParameters: { display_published: false } })).result, false);
});

test("a task notifies as its node says, else as the chain, and not at all where skip_notify names it", async () => {
	const notify = { "on-complete": { message: "done" } };
	const definition = {
		chain: [
			{ name: "c1", ref: "tests.one", notify, "on-success": "c2" },
			{ name: "c2", ref: "tests.two", notify, "on-success": "c3" },
			{ name: "c3", ref: "tests.three" },
		],
	};
	const { context } = await run(definition, { runnerParameters: { skip_notify: ["c2"] } });
	assert.deepEqual(
		context.children.started.map((child) => child.notify),
		[notify, {}, undefined],
	);
	const own = { "on-failure": { message: "failed" } };
	const { context: told } = await run(definition, { runnerParameters: { skip_notify: ["c2"] }, notify: own });
	assert.deepEqual(
		told.children.started.map((child) => child.notify),
		[notify, {}, own],
	);
});

const failures: readonly (readonly [string, JsonObject, ChainOptions, RegExp, readonly string[]])[] = [
	["vars", { vars: { x: "{{ nope }}" }, ...three }, {}, /^Failed initializing ``vars`` in chain\. .*nope/, []],
	[
		"parameters",
		{
			chain: [
				{ name: "c1", ref: "t.t", "on-success": "c2" },
				{ name: "c2", ref: "t.t", parameters: { p: "{{ nope }}" } },
			],
		},
		{},
		/^Failed to run task "c2"\. Parameter rendering failed\.\. Failed rendering value for action parameter "p" in task "c2" \(template string=\{\{ nope \}\}\): .*nope/,
		["c1 succeeded"],
	],
	[
		"publish",
		{
			chain: [
				{ name: "c1", ref: "t.t", "on-failure": "c2", publish: { p: "{{ c1.nope }}" } },
				{ name: "c2", ref: "t.t" },
			],
		},
		{},
		/^Failed rendering value for publish parameter "p" in task "c1" \(template string=\{\{ c1.nope \}\}\): .*nope/,
		["c1 succeeded"],
	],
	[
		"an unknown action",
		three,
		{ onPrepare: ({ action }) => (action === "tests.two" ? new SvcError("SVC_NOT_FOUND", "there is none") : undefined) },
		/^Failed to run task "c2"\. Action with reference "tests\.two" doesn't exist\.\. there is none$/,
		["c1 succeeded"],
	],
	[
		"a node of a name that is a template",
		{ chain: [{ name: "c1", ref: "t.t", "on-success": "{{ x }}" }] },
		{},
		/^Unable to find node with name "\{\{ x \}\}"/,
		["c1 succeeded"],
	],
];

for (const [what, definition, options, error, tasks] of failures) {
	test(`what is wrong with ${what} ends the chain, and the tasks so far are kept`, async () => {
		const end = await run(definition, options);
		assert.equal(end.succeeded, false);
		assert.match(String(end.result["error"]), error);
		assert.match(String(end.result["traceback"]), /^SvcError: /);
		assert.deepEqual(tasksOf(end), tasks);
		assert.ok("published" in end.result);
	});
}

test("a task that is refused has failed", async () => {
	for (const code of ["SVC_INVALID", "SVC_FORBIDDEN"] as const) {
		const onPrepare: ChainOptions["onPrepare"] = ({ action }) => (action === "tests.two" ? new SvcError(code, "no") : undefined);
		const end = await run(three, { onPrepare });
		assert.equal(end.succeeded, true);
		assert.deepEqual(tasksOf(end), ["c1 succeeded", "c2 failed", "c4 succeeded"]);
		const [, refused] = end.result["tasks"] as readonly JsonObject[];
		assert.equal(refused?.["execution_id"], null);
		const message = 'Failed running task "c2". no';
		assert.deepEqual(refused?.["result"], { error: message, traceback: message });
	}
});

test("a chain that goes in circles ends after 100000 tasks with an error that says so", async () => {
	const definition = { chain: [{ name: "a", ref: "t.a", "on-success": "a" }] };
	const file = files.write(definition);
	const before = createChainContext(file, { script: { a: { status: "running" } } });
	const runner = createRunner();
	const started = runner.run(before);
	await before.children.whenOpen();
	before.abort("shutdown");
	await started;
	const [begin] = before.entries;
	const at = "2026-01-01T00:00:00.000000Z";
	const id = before.children.started[0]?.id ?? "";
	const laps = Array.from({ length: 100_000 }, () => [
		{ type: "start", name: "a", id: "0".repeat(24), execution_id: id, at },
		{ type: "end", status: "succeeded", liveaction_id: id, at, published: {} },
	]).flat();
	const context = createChainContext(file, { after: { ...before, entries: [begin as JsonObject, ...laps] } });
	const end = await runner.recover?.(context, {});
	assert.equal(end?.succeeded, false);
	assert.match(String(end?.result["error"]), /the chain ran 100000 tasks/);
	assert.equal(nameOf(context.children.started[0] ?? { key: "" }), "a");
});

test.run();
