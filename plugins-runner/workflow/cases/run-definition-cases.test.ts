import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { DefinitionCaseResult } from "../../../core/contract/index.ts";
import { isSvcError } from "../../../core/contract/index.ts";
import { createTestExpressions } from "../../../core/testing/expressions.ts";
import { runDefinitionCases } from "./run-definition-cases.ts";

const definition = `
input: [version]
tasks:
  build:
    action: releases.build
    next:
      - { when: <% succeeded() %>, publish: "file=<% result().file %>", do: check }
      - { when: <% failed() %>, do: fail }
  check:
    with: <% [1, 2, 3] %>
    action: releases.check number=<% item() %>
    timeout: 60
    retry: { count: 1, delay: 5 }
    next:
      - { when: <% succeeded() %>, do: approve }
      - { when: "<% task_status(check) = timeout %>", do: noop }
  approve:
    action: releases.ask
output:
  - file: <% ctx(file) %>
  - by: <% ctx().svc.user %>
`;

const tools = { expressions: createTestExpressions() };
const run = (cases: string): Promise<readonly DefinitionCaseResult[]> => runDefinitionCases(definition, cases, tools);

test("cases that come as expected have no problems", async () => {
	const results = await run(
		`
- name: all is well
  input: { version: 1 }
  context: { svc: { user: ann } }
  results: [{ task: build, result: { file: x.tar } }]
  expect: { output: { file: x.tar, by: ann }, errors: [], tasks: [build, check, approve] }
- name: a check fails once
  context: { svc: { user: ann } }
  results:
    - { task: build, result: { file: x.tar } }
    - { task: check, item: 1, occurrence: 1, status: failed, result: { stderr: no } }
  expect: { tasks: [build, check, approve] }
- name: a check fails each time
  context: { svc: { user: ann } }
  results:
    - { task: build, result: { file: x.tar } }
    - { task: check, item: 1, status: failed }
  expect: { status: failed, tasks: [build, check], errors: [{ task_id: check }] }
- name: a check takes too long
  context: { svc: { user: ann } }
  results:
    - { task: build, result: { file: x.tar } }
    - { task: check, item: 2, status: running }
  expect: { tasks: [build, check] }
- name: somebody is asked
  results:
    - { task: build, result: { file: x.tar } }
    - { task: approve, status: pending }
  expect: { status: paused }
- name: somebody cancels
  results: [{ task: build, status: canceled }]
  expect: { status: canceled, tasks: [build] }
`.replace(", output: null", ""),
	);
	assert.deepEqual(
		results.map(({ name, problems }) => [name, problems]),
		results.map(({ name }) => [name, []]),
	);
	assert.deepEqual(results[0], {
		name: "all is well",
		problems: [],
		status: "succeeded",
		output: { file: "x.tar", by: "ann" },
		tasks: ["build", "check", "approve"],
	});
});

test("what comes otherwise is told", async () => {
	const [result] = await run(`
- name: wrong
  context: { svc: { user: ann } }
  results:
    - { task: build, status: failed, result: { code: 1 } }
    - { task: approve, route: 1, occurrence: 2, item: 0 }
  expect: { output: { by: ben }, errors: [{ task_id: check }], tasks: [build, check] }
`);
	assert.equal(result?.status, "failed");
	assert.deepEqual(
		result?.problems.map((problem) => problem.replace(/, got \[\{.*/, ", got …")),
		[
			"status: expected succeeded, got failed",
			'output: expected {"by":"ben"}, got {"by":"ann"}',
			'errors: expected [{"task_id":"check"}], got …',
			"tasks: expected build, check, got build",
			"results: unused results of approve, route 1, occurrence 2, item 0",
		],
	);
});

test("results of a task are taken one after the other, the last one for all further starts", async () => {
	const loop = "tasks:\n  lead: {next: [{do: a}]}\n  a:\n    action: core.noop\n    next:\n      - {when: <% result().again %>, do: a}";
	const again = "{ task: a, result: { again: true } }";
	const [twice, ever] = await runDefinitionCases(
		loop,
		`[{ name: twice, results: [${again}, ${again}, { task: a, result: { again: false } }] }, { name: ever, results: [${again}] }]`,
		tools,
	);
	assert.deepEqual([twice?.problems, twice?.tasks], [[], ["lead", "a", "a", "a"]]);
	assert.deepEqual(ever?.problems, ["status: expected succeeded, but it does not end"]);
});

test("a text without cases, and a definition that cannot run, are refused", async () => {
	const rows: readonly [cases: string, message: RegExp][] = [
		["", /\[\] is too short|is not of type 'array'/],
		["[]", /\[\] is too short/],
		["cases: []", /is not of type 'array'/],
		["- {}", /\[0\], line 1: 'name' is a required property/],
		["- name: a\n  result: []", /\[0\], line 2: Additional properties are not allowed \('result' was unexpected\)/],
		["- name: a\n  results:\n    - task: build\n      status: odd", /\[0\]\.results\[0\]\.status, line 4: 'odd' is not one of/],
		["- name: a\n  results:\n    - {task: build, result: 1}", /1 is not of type 'object'/],
		["- name: a\n  expect: {status: paused, ouput: 1}", /'ouput' was unexpected/],
		["- [", /the cases cannot be read/],
	];
	for (const [cases, message] of rows)
		await assert.rejects(run(cases), (error) => isSvcError(error, "SVC_INVALID") && message.test(error.message), cases);
	const unset = runDefinitionCases("tasks: {a: {delay: <% ctx(x) %>}}", "- name: a", tools);
	await assert.rejects(unset, /the definition cannot be run: tasks\.a\.delay, line 1: Variable "x" is referenced before assignment/);
});

test.run();
