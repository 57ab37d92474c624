import * as assert from "node:assert/strict";
import { test } from "uvu";
import { inspect } from "./inspection.test-support.ts";

/** What is wrong with the variables of a definition, as `path name`. */
async function findUnset(text: string): Promise<readonly string[]> {
	const findings = await inspect(text);
	return findings.map(({ type, spec_path, message }) => {
		assert.equal(type, "context", message);
		return `${spec_path} ${/"(.*)"/.exec(message)?.[1]}`;
	});
}

test("input, vars and output refer to what stands before them, everything to the service's own", async () => {
	const text = `input: [a, {b: <% ctx(a) %>}, {c: <% ctx(d) %>}, d]
vars: [{e: <% ctx(c) + ctx(g) %>}, {f: <% ctx(e) %>}, {g: <% ctx(svc) %>}]
tasks: {t: {delay: <% ctx(g) + ctx().parent %>}}
output: [{h: <% ctx(f) + ctx(i) %>}, {i: <% ctx(h) %>}]`;
	assert.deepEqual(await findUnset(text), ["input[2] d", "output[0] i", "vars[0] g"]);
});

test("what a transition publishes is there for the rest of it and what comes next, not for its siblings", async () => {
	const text = `tasks:
  a:
    next:
      - publish: [{x: 1}, {y: <% ctx(x) %>}]
        do: b
      - when: <% ctx(x) %>
        publish: z=<% ctx(z) %>
        do: c
  b: {delay: <% ctx(y) %>}
  c: {delay: <% ctx(y) + ctx(z) %>}
output: [{x: <% ctx(x) + ctx(y) + ctx(z) %>}]`;
	assert.deepEqual(await findUnset(text), ["tasks.c.delay y", "tasks.a.next[1].publish z", "tasks.a.next[1].when x"]);
});

test("a task to which several ways lead has what all of them have set, a join what any of them has", async () => {
	const text = (join: string) => `tasks:
  a: {next: [{publish: [{x: 1}, {y: 1}], do: c}]}
  b: {next: [{publish: [{y: 1}], do: c}]}
  c: {delay: <% ctx(x) + ctx(y) + ctx(z) %>${join}, next: [{do: d}]}
  d: {delay: <% ctx(x) %>}`;
	assert.deepEqual(await findUnset(text("")), ["tasks.c.delay x", "tasks.c.delay z", "tasks.d.delay x"]);
	assert.deepEqual(await findUnset(text(", join: all")), ["tasks.c.delay z"]);
});

test("in a loop the first time counts", async () => {
	const text = `tasks:
  lead: {next: [{publish: [{n: 0}], do: a}]}
  a: {delay: <% ctx(n) + ctx(m) %>, next: [{publish: [{m: 1}], do: b}]}
  b: {delay: <% ctx(m) %>, next: [{when: <% ctx(n) < 3 %>, publish: [{n: 1}], do: a}]}`;
	assert.deepEqual(await findUnset(text), ["tasks.a.delay m"]);
	const join = "tasks:\n  lead: {next: [{do: a}]}\n  a: {join: all, delay: <% ctx(m) %>, next: [{do: a}]}";
	assert.deepEqual(await findUnset(join), ["tasks.a.delay m"]);
});

test("private variables cannot be referenced", async () => {
	const findings = await inspect("vars: [{__x: 1}]\ntasks: {a: {}}\noutput:\n  - y: <% ctx('__x') %>");
	assert.deepEqual(findings, [
		{
			type: "context",
			message: 'Variable "__x" is private, because its name begins with two underscores, and cannot be referenced.',
			spec_path: "output[0]",
			schema_path: "properties.output",
			line: 4,
			language: "yaql",
			expression: "<% ctx('__x') %>",
		},
	]);
});

test("names that objects have of their own are names like others", async () => {
	for (const name of ["constructor", "toString", "hasOwnProperty"]) {
		assert.deepEqual(await findUnset(`tasks: {a: {delay: <% ctx(${name}) %>}}`), [`tasks.a.delay ${name}`]);
		assert.deepEqual(
			await findUnset(`vars: [{${name}: 1}]\ntasks: {${name}: {delay: <% ctx(${name}) %>, next: [{do: valueOf}]}, valueOf: {}}`),
			[],
		);
	}
});

test.run();
