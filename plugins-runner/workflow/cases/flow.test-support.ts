import * as assert from "node:assert/strict";
import type { JsonObject } from "../../../core/contract/index.ts";
import { createTestExpressions } from "../../../core/testing/expressions.ts";
import { Conductor } from "../conductor/conductor.ts";
import { readDefinition } from "../definition/read-definition.ts";
import { CaseRun } from "./case-run.ts";
import { readCases } from "./read-cases.ts";
import { compareCase, runDefinitionCases } from "./run-definition-cases.ts";

const conditions: Readonly<Record<string, string>> = { ok: "<% succeeded() %>", bad: "<% failed() %>", done: "<% completed() %>" };

/**
 * The text of a definition. A line is `name*join: way; way`, a way is `ok`, `bad`, `done` (succeeded, failed, completed) or `any`, then
 * what comes next: `a*2: ok b c; bad noop`.
 */
export function flow(...lines: readonly string[]): string {
	return `tasks:\n${lines.map(toTask).join("")}`;
}

function toTask(line: string): string {
	const [head = "", ways = ""] = line.split(/: ?/);
	const [name, join] = head.split("*");
	const next = ways
		.split("; ")
		.filter((way) => way !== "")
		.map(toTransition);
	return `  ${name}:\n    action: core.noop\n${join === undefined ? "" : `    join: ${join}\n`}${next.length === 0 ? "" : `    next:\n${next.join("")}`}`;
}

function toTransition(way: string): string {
	const [condition = "", ...targets] = way.split(" ");
	const when = conditions[condition] === undefined ? "" : `when: ${conditions[condition]}, `;
	return `      - {${when}do: [${targets.join(", ")}]}\n`;
}

/** Some results by the names of their tasks: `b c` fail. */
export const failing = (tasks: string) =>
	`results: [${tasks
		.split(" ")
		.map((task) => `{task: ${task}, status: failed}`)
		.join(", ")}]`;

const tools = { expressions: createTestExpressions() };

/** All cases come as they expect. */
export async function assertCases(name: string, definition: string, cases: string): Promise<void> {
	for (const result of await runDefinitionCases(definition, cases, tools)) assert.deepEqual(result.problems, [], `${name}, ${result.name}`);
}

/** The first case, and then its workflow taken up again with these tasks as the second one says. */
export async function assertRerun(name: string, definition: string, tasks: readonly string[], cases: string): Promise<void> {
	const [first, second] = readCases(cases);
	assert.ok(first !== undefined && second !== undefined);
	const children = new Map<string, JsonObject | null>();
	const result = async (id: string) => structuredClone(children.get(id) ?? null);
	const read = readDefinition(definition);
	const run = new CaseRun(first, new Conductor(read, { ...tools, result, executionId: "one", workflowExecutionId: "one" }), children);
	assert.deepEqual(compareCase(first, await run.run()).problems, [], `${name}, ${first.name}`);
	const chosen = { tasks, reset: tasks };
	const again = await Conductor.createPartialRerun(read, run.entries, chosen, {
		...tools,
		result,
		executionId: "two",
		workflowExecutionId: "one",
	});
	assert.deepEqual(compareCase(second, await new CaseRun(second, again, children).run()).problems, [], `${name}, ${second.name}`);
}
