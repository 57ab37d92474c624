// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type DefinitionServices, isSvcError } from "../../core/contract/index.ts";
import { createExpressions } from "../../core/language/expressions/expressions.ts";
import { scopeFunctionNames } from "./conductor/scope.ts";
import { inspectDefinition } from "./definition/inspect-definition.ts";
import { readDefinition } from "./definition/read-definition.ts";
import { toGraph } from "./definition/to-graph.ts";
import { graph, inspect, inspectForRun, read } from "./workflow-definitions.ts";

/** As few as make a definition large. */
const taskCount = 75;
const task = (index: number) =>
	`  t${index}: {action: core.echo, input: {message: "<% suceeded() and ctx(a) %> ${index}"}, next: [{when: <% failed() %>, do: t${index + 1}}]}\n`;
const text = `input: [a]\ntasks:\n${Array.from({ length: taskCount }, (_, index) => task(index)).join("")}  t${taskCount}: {action: core.none}\n`;
const tools: DefinitionServices = {
	expressions: createExpressions(),
	findAction: async (ref) =>
		ref === "core.echo" ? { ref, enabled: true, runner_type: "noop", parameters: { message: { type: "string" } } } : undefined,
};

test("a definition that is read in the thread is the same as one that is read without", async () => {
	assert.ok(text.length > 8_000);
	const findings = await inspectDefinition(text, tools, scopeFunctionNames);
	assert.ok(findings.length >= taskCount && findings.some(({ message }) => message.includes("core.none")));
	assert.deepEqual(await inspect(text, tools), findings);
	assert.deepEqual(await inspectForRun(text, tools), await inspectDefinition(text, tools));
	assert.deepEqual(await read(text), readDefinition(text));
	assert.deepEqual(await graph(text), toGraph(readDefinition(text)));
});

test("what is no definition is refused by the thread with its findings", async () => {
	await assert.rejects(read(`${text}output: 1\n`), (error) => isSvcError(error, "SVC_INVALID") && Array.isArray(error.facts["findings"]));
});

test("many inspections are refused when too many wait, and hold up no run", async () => {
	const order: string[] = [];
	const inspections = Array.from({ length: 30 }, () => inspect(text, tools).then(() => order.push("inspection")));
	const run = read(text).then(() => order.push("run"));
	const outcomes = await Promise.allSettled(inspections);
	await run;
	const refused = outcomes.filter(
		(outcome) =>
			outcome.status === "rejected" && isSvcError(outcome.reason, "SVC_UNAVAILABLE") && /16 large definitions/.test(outcome.reason.message),
	);
	assert.ok(refused.length >= 30 - 17 && refused.length < 30, String(refused.length));
	assert.notEqual(order.at(-1), "run");
});

test.run();
