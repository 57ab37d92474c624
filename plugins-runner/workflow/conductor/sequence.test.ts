import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { TestWorkflow } from "./definition.test-support.ts";
import { type Outcome, Rehearsal } from "./rehearsal.test-support.ts";

interface Case {
	readonly workflow: TestWorkflow;
	readonly outcomes?: Readonly<Record<string, Outcome | readonly Outcome[]>>;
	readonly parameters?: Record<string, string>;
	readonly status?: string;
	readonly started?: readonly string[];
	readonly output?: unknown;
	readonly errors?: readonly string[];
}

const succeeded = "<% succeeded() %>";
const failed = "<% failed() %>";
const result = (value: string) => ({ result: { value } });

const diamond: TestWorkflow = {
	tasks: {
		a: { next: [{ when: succeeded, do: ["b", "c"] }] },
		b: { next: [{ when: succeeded, publish: [["left", "<% result().value %>"]], do: ["d"] }] },
		c: { next: [{ when: succeeded, publish: [["right", "<% result().value %>"]], do: ["d"] }] },
		d: { join: "all" },
	},
	output: [["both", "<% ctx(left) %><% ctx(right) %>"]],
};

const cases: Readonly<Record<string, Case>> = {
	"tasks run one behind another": {
		workflow: {
			input: [["name"]],
			vars: [["greeting", "hello <% ctx(name) %>"]],
			tasks: {
				one: { next: [{ when: succeeded, publish: [["first", "<% result().value %>"]], do: ["two"] }] },
				two: { input: { message: "<% ctx(greeting) %>" } },
			},
			output: [["said", "<% ctx(first) %>, <% ctx(greeting) %>"]],
		},
		parameters: { name: "ann" },
		outcomes: { one: result("yes") },
		started: ["one", "two"],
		output: { said: "yes, hello ann" },
	},
	"a join sees what all branches have published": {
		workflow: diamond,
		outcomes: { b: result("l"), c: result("r") },
		started: ["a", "b", "c", "d"],
		output: { both: "lr" },
	},
	"a join that cannot be reached any more fails the workflow": {
		workflow: {
			...diamond,
			output: [],
			tasks: {
				...diamond.tasks,
				c: {
					next: [
						{ when: succeeded, do: ["d"] },
						{ when: failed, do: ["noop"] },
					],
				},
			},
		},
		outcomes: { b: result("l"), c: "failed" },
		status: "failed",
		started: ["a", "b", "c"],
		output: null,
		errors: [
			"c: Execution failed. See result for details.",
			'd: UnreachableJoinError: The join task|route "d|0" is partially satisfied but unreachable.',
		],
	},
	"a workflow that fails at a join that never starts keeps what was published on the way there": {
		workflow: {
			tasks: {
				a: { next: [{ publish: [["first", 1]], do: ["b", "c"] }] },
				b: { next: [{ publish: [["left", "l"]], do: ["d"] }] },
				c: { next: [{ when: succeeded, do: ["d"] }] },
				d: { join: "all" },
			},
			output: [
				["first", "<% ctx(first) %>"],
				["left", "<% ctx(left) %>"],
			],
		},
		outcomes: { c: "failed" },
		status: "failed",
		started: ["a", "b", "c"],
		output: { first: 1, left: "l" },
		errors: [
			"c: Execution failed. See result for details.",
			'd: UnreachableJoinError: The join task|route "d|0" is partially satisfied but unreachable.',
		],
	},
	"a failure that nothing follows fails the workflow": {
		workflow: { tasks: { a: { next: [{ when: succeeded, do: ["b"] }] }, b: {} } },
		outcomes: { a: "failed" },
		status: "failed",
		started: ["a"],
		errors: ["a: Execution failed. See result for details."],
	},
	"a failure with something behind it does not": {
		workflow: { tasks: { a: { next: [{ when: failed, do: ["b"] }] }, b: {} } },
		outcomes: { a: "failed" },
		started: ["a", "b"],
	},
	"noop remedies": { workflow: { tasks: { a: { next: [{ when: failed, do: ["noop"] }] } } }, outcomes: { a: "failed" } },
	"continue does not, and publishes": {
		workflow: { tasks: { a: { next: [{ when: failed, publish: [["x", "told"]] }] } }, output: [["x", "<% ctx(x) %>"]] },
		outcomes: { a: "failed" },
		status: "failed",
		output: { x: "told" },
		errors: ["a: Execution failed. See result for details."],
	},
	"fail fails, and lets others of the same completion run": {
		workflow: {
			tasks: { a: { next: [{ when: failed, do: ["log", "fail"] }] }, log: { next: [{ do: ["after"] }] }, after: {} },
		},
		outcomes: { a: "failed" },
		status: "failed",
		started: ["a", "log"],
		errors: ["a: Execution failed. See result for details.", "fail: Execution failed. See result for details."],
	},
	"timed out and abandoned are failures with an entry": {
		workflow: { tasks: { a: { next: [{ when: "<% failed() and timed_out() %>", do: ["b"] }] }, b: {} } },
		outcomes: { a: "timeout", b: "abandoned" },
		status: "failed",
		started: ["a", "b"],
		errors: ["a: Execution timed out. See result for details.", "b: Execution was abandoned. See result for details."],
	},
	"plain text is a criterion that holds": {
		workflow: { tasks: { a: { next: [{ when: "false", do: ["b"] }] }, b: {} } },
		started: ["a", "b"],
	},
	"a task without action is a step without work": {
		workflow: {
			tasks: { a: { action: null, next: [{ publish: [["x", 1]], do: ["b"] }] }, b: { action: null, delay: 5 } },
			output: [["x", "<% ctx(x) %>"]],
		},
		started: [],
		output: { x: 1 },
	},
	"tasks that several lead to run on routes of their own": {
		workflow: {
			tasks: {
				a: { next: [{ do: ["b", "c"] }] },
				b: { next: [{ publish: [["from", "b"]], do: ["s"] }] },
				c: { next: [{ publish: [["from", "c"]], do: ["s"] }] },
				s: { next: [{ do: ["t"] }] },
				t: { input: { from: "<% ctx(from) %>" } },
			},
		},
		started: ["a", "b", "c", "s__r1", "s__r2", "t__r1", "t__r2"],
	},
	"a loop ends when its criterion does": {
		workflow: {
			vars: [["n", 0]],
			tasks: {
				init: { next: [{ do: ["lap"] }] },
				lap: { next: [{ when: "<% ctx(n) < 3 %>", publish: [["n", "<% ctx(n) + 1 %>"]], do: ["lap"] }] },
			},
			output: [["n", "<% ctx(n) %>"]],
		},
		started: ["init", "lap", "lap", "lap", "lap"],
		output: { n: 3 },
	},
	"joins in a loop count anew in each lap": {
		workflow: {
			vars: [["n", 0]],
			tasks: {
				init: { next: [{ do: ["fork"] }] },
				fork: { next: [{ do: ["l", "r"] }] },
				l: { next: [{ do: ["j"] }] },
				r: { next: [{ do: ["j"] }] },
				j: { join: "all", next: [{ when: "<% ctx(n) < 1 %>", publish: [["n", "<% ctx(n) + 1 %>"]], do: ["fork"] }] },
			},
		},
		started: ["init", "fork", "l", "r", "j", "fork", "l", "r", "j"],
	},
	"objects are merged, other values overwritten": {
		workflow: {
			vars: [
				["o", { p: 1 }],
				["s", [1]],
			],
			tasks: {
				a: {
					action: null,
					next: [
						{
							publish: [
								["o", { q: 2 }],
								["s", [2]],
								["seen", "<% ctx(o).p + ctx(o).q %>"],
							],
						},
					],
				},
			},
			output: [
				["o", "<% ctx(o) %>"],
				["s", "<% ctx(s) %>"],
				["seen", "<% ctx(seen) %>"],
			],
		},
		output: { o: { p: 1, q: 2 }, s: [2], seen: 3 },
	},
	"an output that cannot be rendered is left out, and fails what had succeeded": {
		workflow: {
			tasks: { a: { action: null } },
			output: [
				["bad", "<% ctx(nothing) %>"],
				["good", 1],
			],
		},
		status: "failed",
		output: { good: 1 },
		errors: ["-: Unable to evaluate expression '<% ctx(nothing) %>'. Unable to resolve key 'nothing'"],
	},
	"a variable that cannot be rendered lets no task start": {
		workflow: { vars: [["bad", "<% ctx(nothing) %>"]], tasks: { a: {} } },
		status: "failed",
		started: [],
		errors: ["-: Unable to evaluate expression '<% ctx(nothing) %>'. Unable to resolve key 'nothing'"],
	},
	"a task that cannot be rendered lets none of the others start": {
		workflow: { tasks: { a: { input: { x: "<% ctx(nothing) %>" } }, b: {} } },
		status: "failed",
		started: [],
		errors: ["a: Unable to evaluate expression '<% ctx(nothing) %>'. Unable to resolve key 'nothing'"],
	},
	"a criterion that cannot be evaluated fails the workflow, others are still looked at": {
		workflow: {
			tasks: { a: { next: [{ when: "<% ctx(nothing) %>", do: ["b"] }, { publish: [["x", 1]] }] }, b: {} },
			output: [["x", "<% ctx(x) %>"]],
		},
		status: "failed",
		started: ["a"],
		output: { x: 1 },
		errors: ["a: Unable to evaluate expression '<% ctx(nothing) %>'. Unable to resolve key 'nothing'"],
	},
	"results and states of tasks can be asked for by their names": {
		workflow: {
			tasks: {
				a: { next: [{ do: ["b"] }] },
				b: {
					action: null,
					next: [
						{
							publish: [
								["t", "<% task(a).result.value %>"],
								["s", "<% task_status(a) + task_status(c) %>"],
							],
						},
					],
				},
			},
			output: [
				["t", "<% ctx(t) %>"],
				["s", "<% ctx(s) %>"],
				["a", "<% task(a).status %>"],
			],
		},
		outcomes: { a: result("kept") },
		output: { t: "kept", s: "succeedednull", a: "succeeded" },
	},
	"what is given from outside is not evaluated": {
		workflow: { input: [["x"], ["y", "<% ctx(x) %>"]], tasks: { a: {} }, output: [["y", "<% ctx(y) %>"]] },
		parameters: { x: "<% ctx(nothing) %>" },
		output: { y: "<% ctx(nothing) %>" },
	},
};

for (const [name, { workflow, outcomes, parameters, status, started, output, errors }] of Object.entries(cases)) {
	test(name, async () => {
		const rehearsal = new Rehearsal(workflow);
		const { end } = await rehearsal.run(outcomes ?? {}, parameters ?? {});
		assert.equal(end?.status, status ?? "succeeded", JSON.stringify(end));
		if (started !== undefined) assert.deepEqual(rehearsal.started, started);
		if (output !== undefined) assert.deepEqual(end?.result.output, output);
		assert.deepEqual(rehearsal.errors(), errors ?? []);
	});
}

test.run();
