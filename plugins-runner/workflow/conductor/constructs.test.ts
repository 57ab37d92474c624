import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonObject } from "../../../core/contract/index.ts";
import type { TestWorkflow } from "./definition.test-support.ts";
import { type Outcome, Rehearsal } from "./rehearsal.test-support.ts";

interface Case {
	readonly workflow: TestWorkflow;
	readonly outcomes?: Readonly<Record<string, Outcome | readonly Outcome[]>>;
	readonly parameters?: JsonObject;
	readonly status?: string;
	readonly started?: readonly string[];
	readonly output?: unknown;
	readonly errors?: readonly string[];
}

const bad: Outcome = { status: "failed", result: { value: "bad" } };
const good: Outcome = { result: { value: "good" } };
const failure = "Execution failed. See result for details.";
const succeeded = "<% succeeded() %>";

const items = (more: TestWorkflow["tasks"][string] = {}): TestWorkflow => ({
	vars: [["list", [1, 2, 3, 4]]],
	tasks: {
		a: {
			items: "<% ctx(list) %>",
			input: { n: "<% item() %>" },
			...more,
			next: [
				{
					publish: [
						["all", "<% result() %>"],
						["s", "<% task_status(a) %>"],
					],
				},
			],
		},
	},
	output: [["all", "<% ctx(all) %>"]],
});
const value = (text: string) => ({ value: text });

const cases: Readonly<Record<string, Case>> = {
	"all items run together, and their results stand in their order": {
		workflow: items(),
		outcomes: { a: [good, bad, good, bad].map((one) => one) },
		status: "failed",
		started: ["a", "a", "a", "a"],
		output: { all: [value("good"), value("bad"), value("good"), value("bad")] },
		errors: [`a: ${failure}`, `a: ${failure}`],
	},
	"with concurrency no item starts behind a failure": {
		workflow: items({ concurrency: 1 }),
		outcomes: { a: [good, bad] },
		status: "failed",
		started: ["a", "a"],
		output: { all: [value("good"), value("bad"), null, null] },
		errors: [`a: ${failure}`],
	},
	"with continue_on_failure all do": {
		workflow: items({ concurrency: 1, continues: true }),
		outcomes: { a: [good, bad, good] },
		status: "failed",
		started: ["a", "a", "a", "a"],
		output: { all: [value("good"), value("bad"), value("good"), value("good")] },
		errors: [`a: ${failure}`],
	},
	"no items are a success": { workflow: { ...items(), vars: [["list", []]] }, started: [], output: { all: [] } },
	"a concurrency below 1 is 1": { workflow: items({ concurrency: 0 }), started: ["a", "a", "a", "a"] },
	"what is no list has no items": {
		workflow: { ...items(), vars: [["list", { a: 1 }]], output: [] },
		status: "failed",
		started: [],
		errors: ['a: TypeError: The value of "<% ctx(list) %>" is not type of list.'],
	},
	"names are given to parts of an item": {
		workflow: {
			vars: [["list", [["x", 1], "y"]]],
			tasks: { a: { items: "<% ctx(list) %>", names: ["l", "n"], input: { l: "<% item(l) %>" } } },
		},
		started: ["a", "a"],
	},
	"an item that cannot be rendered lets those run that have started, and fails the workflow": {
		workflow: items({ input: { n: "<% item().x %>" } }),
		status: "failed",
		started: [],
		output: { all: [null, null, null, null] },
		errors: ["a: Unable to evaluate expression '<% item().x %>'. Unable to resolve key 'x'"],
	},
	"a failed task is tried again": {
		workflow: {
			tasks: { a: { retry: { count: 2 }, next: [{ when: succeeded, publish: [["x", "<% result().value %>"]] }] } },
			output: [["x", "<% ctx(x) %>"]],
		},
		outcomes: { a: [bad, good] },
		started: ["a", "a"],
		output: { x: "good" },
	},
	"as often as it says, then the last attempt stands": {
		workflow: { tasks: { a: { retry: { count: 2, delay: 3 } } } },
		outcomes: { a: bad },
		status: "failed",
		started: ["a", "a", "a"],
		errors: [`a: ${failure}`, `a: ${failure}`, `a: ${failure}`].slice(0, 1),
	},
	"a criterion decides, also about success": {
		workflow: { tasks: { a: { retry: { count: 3, when: "<% not result().value = 'good' %>" } } } },
		outcomes: { a: [{ result: { value: "not yet" } }, good] },
		started: ["a", "a"],
	},
	"plain text tries successes again": {
		workflow: { tasks: { a: { retry: { count: 3, when: "completed" } } } },
		started: ["a", "a", "a", "a"],
	},
	"a count of 0 is never": {
		workflow: { tasks: { a: { retry: { count: 0 } } } },
		outcomes: { a: bad },
		status: "failed",
		started: ["a"],
		errors: [`a: ${failure}`],
	},
	"all items are tried again": {
		workflow: items({ retry: { count: 1 } }),
		outcomes: { a: [good, good, good, bad, good] },
		started: ["a", "a", "a", "a", "a", "a", "a", "a"],
	},
	"a delay is a number": {
		workflow: { tasks: { a: { delay: "<% '5' %>" } } },
		status: "failed",
		started: [],
		errors: ["a: TypeError: The value of task delay is not type of integer."],
	},
	"fewer than all may be enough for a join, and who comes later starts it again": {
		workflow: {
			tasks: {
				a: { next: [{ do: ["j"] }] },
				b: { next: [{ do: ["j"] }] },
				c: { next: [{ do: ["j"] }] },
				j: { join: 2 },
			},
		},
		started: ["a", "b", "c", "j", "j"],
	},
	"two ways from one task count once": {
		workflow: {
			tasks: {
				a: { next: [{ do: ["j"] }, { do: ["j"] }] },
				b: { next: [{ when: "<% failed() %>", do: ["j"] }] },
				j: { join: "all" },
			},
		},
		status: "failed",
		started: ["a", "b"],
		errors: ['j: UnreachableJoinError: The join task|route "j|0" is partially satisfied but unreachable.'],
	},
	"what runs beside fail and cannot be rendered is tried once": {
		workflow: {
			tasks: {
				a: { next: [{ when: "<% failed() %>", do: ["log", "fail"] }] },
				log: { input: { x: "<% ctx(nothing) %>" } },
			},
		},
		outcomes: { a: bad },
		status: "failed",
		started: ["a"],
		errors: [
			`a: ${failure}`,
			`fail: ${failure}`,
			"log: Unable to evaluate expression '<% ctx(nothing) %>'. Unable to resolve key 'nothing'",
		],
	},
	"a loop without end has one": {
		workflow: { tasks: { i: { action: null, next: [{ do: ["a"] }] }, a: { action: null, next: [{ do: ["a"] }] } } },
		status: "failed",
		errors: ["a: TaskLimitError: The workflow has started 100000 tasks, the maximum."],
	},
};

for (const [name, { workflow, outcomes, parameters, status, started, output, errors }] of Object.entries(cases)) {
	test(name, async () => {
		const rehearsal = new Rehearsal(workflow);
		const { end } = await rehearsal.run(outcomes ?? {}, parameters ?? {});
		assert.equal(end?.status, status ?? "succeeded", JSON.stringify(end).slice(0, 1000));
		if (started !== undefined) assert.deepEqual(rehearsal.started, started);
		if (output !== undefined) assert.deepEqual(end?.result.output, output);
		assert.deepEqual(rehearsal.errors(), errors ?? []);
	});
}

test("a child is asked for with all that names it", async () => {
	const rehearsal = new Rehearsal({ tasks: { a: { items: "<% [7] %>", input: { n: "<% item() %>" }, delay: 2 } } });
	const { start, tasks } = await rehearsal.begin();
	const [task] = tasks;
	assert.match(task?.id ?? "", /^[0-9a-f]{24}$/);
	const workflow = { workflow_execution_id: "run1", task_execution_id: task?.id, task_name: "a", task_id: "a", task_route: 0, item_id: 0 };
	assert.deepEqual(start, [{ key: `${task?.id}.1.0`, action: "core.noop", parameters: { n: 7 }, context: { workflow }, delay: 2000 }]);
});

test("parameters of a child are not evaluated again", async () => {
	const rehearsal = new Rehearsal({ input: [["x"]], tasks: { a: { input: { x: "<% ctx(x) %>" } } } });
	const { start } = await rehearsal.begin({ x: "<% ctx(x) %>" });
	assert.deepEqual(start[0]?.parameters, { x: "<% ctx(x) %>" });
});

test("items start as others end", async () => {
	const rehearsal = new Rehearsal(items({ concurrency: 2 }));
	assert.equal((await rehearsal.begin()).start.length, 2);
	assert.equal((await rehearsal.come("a")).start.length, 1);
	assert.equal((await rehearsal.come("a")).start.length, 1);
	assert.equal((await rehearsal.come("a")).start.length, 0);
	assert.equal((await rehearsal.come("a")).end?.status, "succeeded");
});

test("many items start in several steps, and none of them costs more than the first", async () => {
	const rehearsal = new Rehearsal({ ...items(), vars: [["list", Array.from({ length: 1000 }, (_, at) => at)]], output: [] });
	const steps = [(await rehearsal.begin()).start.length];
	while (rehearsal.conductor.nextWake() === rehearsal.now) steps.push((await rehearsal.tell({ type: "wake" })).start.length);
	assert.ok(Math.max(...steps) <= 200);
	assert.equal(rehearsal.requests.size, 1000);
});

test("of many items a thousand are on their way at once, and more start as these end", async () => {
	const rehearsal = new Rehearsal({ ...items(), vars: [["list", Array.from({ length: 3000 }, (_, at) => at)]], output: [] });
	await rehearsal.begin();
	await rehearsal.settle();
	assert.equal(rehearsal.requests.size, 1000);
	await rehearsal.come("a");
	await rehearsal.settle();
	assert.equal(rehearsal.requests.size, 1001);
});

test("the delay of a retry takes the place of the task's", async () => {
	const rehearsal = new Rehearsal({ tasks: { a: { delay: 9, retry: { count: 2, delay: 4 } } } });
	assert.equal((await rehearsal.begin()).start[0]?.delay, 9000);
	assert.equal((await rehearsal.come("a", "failed")).start[0]?.delay, 4000);
	const plain = new Rehearsal({ tasks: { a: { delay: 9, retry: { count: 2 } } } });
	await plain.begin();
	assert.equal((await plain.come("a", "failed")).start[0]?.delay, undefined);
});

test("a task whose time is over has its child ended, and the status timeout", async () => {
	const workflow = { tasks: { a: { timeout: 10, next: [{ when: "<% timed_out() %>", do: ["b"] }] }, b: {} } };
	const rehearsal = new Rehearsal(workflow);
	await rehearsal.begin();
	assert.equal(rehearsal.conductor.nextWake(), rehearsal.now + 10e6);
	rehearsal.now += 10e6;
	const [key] = rehearsal.open("a");
	assert.deepEqual((await rehearsal.tell({ type: "wake" })).cancel, [key]);
	const step = await rehearsal.come("a", "canceled");
	assert.equal(step.tasks.find(({ name }) => name === "a")?.status, "timeout");
	assert.deepEqual(rehearsal.started, ["a", "b"]);
	const end = await rehearsal.come("b", "failed");
	assert.equal(end.end?.status, "failed");
	assert.deepEqual(rehearsal.errors(), ["a: TimeoutError: The task exceeded its timeout.", `b: ${failure}`]);
});

test("a task that is tried again has its time again", async () => {
	const rehearsal = new Rehearsal({ tasks: { a: { timeout: 10, retry: { count: 1, delay: 5 } } } });
	await rehearsal.begin();
	rehearsal.now += 10e6;
	await rehearsal.tell({ type: "wake" });
	const { start } = await rehearsal.come("a", "canceled");
	assert.equal(start[0]?.delay, 5000);
	assert.equal(rehearsal.conductor.nextWake(), rehearsal.now + 15e6);
});

test("a workflow whose time is over ends what runs, and has a status of its own", async () => {
	const rehearsal = new Rehearsal({ timeout: 60, tasks: { a: { next: [{ do: ["b"] }] }, b: {} }, output: [["x", 1]] });
	await rehearsal.begin();
	rehearsal.now += 60e6;
	const [key] = rehearsal.open("a");
	const step = await rehearsal.tell({ type: "wake" });
	assert.deepEqual([step.cancel, step.end], [[key], undefined]);
	const { end } = await rehearsal.come("a", "canceled");
	assert.deepEqual(
		[end?.status, end?.result.output, rehearsal.errors()],
		["timeout", { x: 1 }, ["-: TimeoutError: The workflow exceeded its timeout."]],
	);
});

test("a task without action waits for its delay", async () => {
	const rehearsal = new Rehearsal({ tasks: { a: { action: null, delay: 5, next: [{ do: ["b"] }] }, b: {} } });
	const { tasks, end } = await rehearsal.begin();
	assert.deepEqual([tasks[0]?.status, end], ["delayed", undefined]);
	assert.equal(rehearsal.conductor.nextWake(), rehearsal.now + 5e6);
	rehearsal.now += 5e6;
	await rehearsal.tell({ type: "wake" });
	assert.deepEqual(rehearsal.started, ["b"]);
});

test("a child that cannot be started is a failure with its reason", async () => {
	const rehearsal = new Rehearsal({
		tasks: { a: { next: [{ when: "<% failed() %>", publish: [["why", "<% result().error %>"]], do: ["noop"] }] } },
		output: [["why", "<% ctx(why) %>"]],
	});
	await rehearsal.begin();
	const [key = ""] = rehearsal.open("a");
	const { end } = await rehearsal.tell({ type: "refused", key, message: "there is no such action" });
	assert.deepEqual([end?.status, end?.result.output], ["succeeded", { why: "there is no such action" }]);
});

test("what cannot be reached is asked for again later, and nothing is lost", async () => {
	const rehearsal = new Rehearsal({
		vars: [["x", "<% 1 + 1 %>"]],
		tasks: { a: { next: [{ publish: [["y", "<% ctx(x) + 1 %>"]] }] } },
		output: [["y", "<% ctx(y) %>"]],
	});
	rehearsal.expressions.isAway = true;
	assert.equal((await rehearsal.begin()).entry, undefined);
	rehearsal.expressions.isAway = false;
	rehearsal.now = rehearsal.conductor.nextWake() ?? 0;
	await rehearsal.tell({ type: "wake" });
	rehearsal.expressions.isAway = true;
	await rehearsal.come("a");
	await rehearsal.restore();
	rehearsal.expressions.isAway = false;
	const { end } = await rehearsal.tell({ type: "continue", isResumed: false });
	assert.deepEqual(end?.result.output, { y: 3 });
});

test("an error says where it is, and what the expression saw", async () => {
	const rehearsal = new Rehearsal({
		vars: [
			["n", 5],
			["o", { secret: "x" }],
		],
		tasks: { a: { input: { x: "<% ctx(o).missing + ctx(n) %>" } } },
	});
	const { end } = await rehearsal.begin();
	const [error] = end?.result.errors ?? [];
	assert.match(String(error?.["message"]), /\[tasks\.a\.input, line 1: o = object with secret, n = 5\]$/);
	assert.equal(error?.["task_id"], "a");
});

test.run();
