import { test } from "uvu";
import { assertCases } from "./flow.test-support.ts";

const items = (line: string, next: string) => `
vars: [{ names: [fee, fi, fo, fum] }]
tasks:
  say:
    with: ${line}
    action: core.echo message=<% item() %>
    next:
      - ${next}
  after: { action: core.noop }
output: [{ said: <% ctx().get(said) %> }]
`;
const succeeded = "{ when: <% succeeded() %>, publish: said=<% result() %>, do: after }";
const all = [..."0123"].map((item) => `{ task: say, item: ${item}, result: { n: ${item} } }`);
const values = (...numbers: readonly (number | null)[]) =>
	`[${numbers.map((number) => (number === null ? "null" : `{ n: ${number} }`)).join(", ")}]`;

test("results of items are a list in their order", async () => {
	const text = items("<% ctx(names) %>", succeeded);
	await assertCases(
		"all items",
		text,
		`
- { name: all succeed, results: [${all}], expect: { output: { said: ${values(0, 1, 2, 3)} }, tasks: [say, after] } }
- { name: one fails, results: [${all.with(1, "{ task: say, item: 1, status: failed }")}], expect: { status: failed, output: { said: null }, tasks: [say], errors: [{ task_id: say }] } }`,
	);
});

test("after a failure no item begins, unless it goes on", async () => {
	const failedResult = all.with(1, "{ task: say, item: 1, status: failed }");
	const failed = "{ when: <% failed() %>, publish: said=<% result() %>, do: after }";
	const one = items("{ items: <% ctx(names) %>, concurrency: 1 }", failed);
	await assertCases(
		"one at a time",
		one,
		`- { name: the second fails, results: [${failedResult.slice(0, 2)}], expect: { output: { said: ${values(0, null, null, null)} }, tasks: [say, after] } }`,
	);
	const willContinue = items("{ items: <% ctx(names) %>, concurrency: 1, continue_on_failure: true }", failed);
	await assertCases(
		"it goes on",
		willContinue,
		`- { name: the second fails, results: [${failedResult}], expect: { output: { said: ${values(0, null, 2, 3)} }, tasks: [say, after] } }`,
	);
});

test("tasks with items run beside each other", async () => {
	const text = `
tasks:
  a: { with: "<% [1, 2] %>", action: core.noop, next: [{ when: <% succeeded() %>, publish: a=<% result() %>, do: c }] }
  b: { with: { items: "<% [1, 2, 3] %>", concurrency: 2 }, action: core.noop, next: [{ when: <% succeeded() %>, publish: b=<% result() %>, do: c }] }
  c: { join: all }
output: [{ a: <% ctx().get(a) %> }, { b: "<% len(ctx().get(b, [])) %>" }]
`;
	await assertCases(
		"two tasks",
		text,
		`
- { name: all succeed, results: [{ task: a, item: 1, result: { n: 1 } }], expect: { output: { a: [null, { n: 1 }], b: 3 }, tasks: [a, b, c] } }
- { name: one fails, results: [{ task: b, item: 2, status: failed }], expect: { status: failed, tasks: [a, b] } }`,
	);
	const names = items("name, number in <% zip(ctx(names), list(1, 2)) %>", succeeded).replace("item()", "item(name)");
	await assertCases(
		"several names",
		names,
		`- { name: all, results: [{ task: say, result: { n: 1 } }], expect: { output: { said: ${values(1, 1, 1, 1)} } } }`,
	);
	await assertCases("no items", items("<% [] %>", succeeded), "- { name: none, expect: { output: { said: [] }, tasks: [say, after] } }");
});

test.run();
