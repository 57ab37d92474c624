import { isDeepStrictEqual } from "node:util";
import {
	type DefinitionCaseResult,
	type DefinitionServices,
	type JsonObject,
	type JsonValue,
	stringifyJson,
	type TaskState,
} from "../../../core/contract/index.ts";
import { Conductor } from "../conductor/conductor.ts";
import type { Definition } from "../definition/definition.ts";
import { inspectDefinition } from "../definition/inspect-definition.ts";
import { readDefinition, toInvalidError } from "../definition/read-definition.ts";
import { type CaseEnd, CaseRun } from "./case-run.ts";
import { type DefinitionCase, type ExpectedEnd, type GivenResult, readCases } from "./read-cases.ts";

/**
 * Runs a definition against the results that each case gives. Nothing is started. Rejects with `SVC_INVALID` if the definition has findings
 * other than warnings, or if `cases` does not contain valid cases.
 */
export async function runDefinitionCases(
	definition: string,
	cases: string,
	tools: DefinitionServices,
): Promise<readonly DefinitionCaseResult[]> {
	const findings = (await inspectDefinition(definition, tools)).filter(({ type }) => type !== "warning");
	if (findings.length > 0) throw toInvalidError("the definition cannot be run", findings);
	const parsedDefinition = readDefinition(definition);
	const results: DefinitionCaseResult[] = [];
	for (const each of readCases(cases)) results.push(await testCase(parsedDefinition, each, tools));
	return results;
}

async function testCase(definition: Definition, given: DefinitionCase, tools: DefinitionServices): Promise<DefinitionCaseResult> {
	const ids = { executionId: "case", workflowExecutionId: "case" };
	const children = new Map<string, JsonObject | null>();
	const result = async (id: string) => structuredClone(children.get(id) ?? null);
	const conductor = new Conductor(definition, { expressions: tools.expressions, result, ...ids });
	return compareCase(given, await new CaseRun(given, conductor, children).run());
}

/** Returns the differences from the end that a case expects. */
export function compareCase(given: DefinitionCase, actual: CaseEnd): DefinitionCaseResult {
	const tasks = actual.tasks.map(nameOf);
	const problems = [...compareEnd(given.expect, actual), ...compareTasks(given.expect, tasks), ...actual.unused.map(describeUnused)];
	return { name: given.name, problems, status: actual.end?.status ?? "running", output: actual.end?.result.output ?? null, tasks };
}

function nameOf({ name, route }: TaskState): string {
	return route === 0 ? name : `${name}__r${route}`;
}

function compareEnd(expect: ExpectedEnd, { end }: CaseEnd): readonly string[] {
	if (end === undefined) return expect.status === "running" ? [] : [`status: expected ${expect.status}, but it does not end`];
	const problems: string[] = [];
	if (end.status !== expect.status) problems.push(`status: expected ${expect.status}, got ${end.status}`);
	if (expect.output !== undefined && !isDeepStrictEqual(end.result.output, expect.output))
		problems.push(`output: expected ${toText(expect.output)}, got ${toText(end.result.output)}`);
	const errors = end.result.errors ?? [];
	if (expect.errors !== undefined && !matchErrors(errors, expect.errors))
		problems.push(`errors: expected ${toText(expect.errors)}, got ${toText(errors)}`);
	return problems;
}

/** Returns true if the errors match the expected ones in any order. Only the members of the expected error are compared. */
function matchErrors(errors: readonly JsonObject[], expected: readonly JsonObject[]): boolean {
	const remainingErrors = [...errors];
	for (const each of expected) {
		const index = remainingErrors.findIndex((error) =>
			Object.entries(each).every(([name, value]) => isDeepStrictEqual(error[name], value)),
		);
		if (index < 0) return false;
		remainingErrors.splice(index, 1);
	}
	return remainingErrors.length === 0;
}

function compareTasks({ tasks }: ExpectedEnd, actual: readonly string[]): readonly string[] {
	return tasks === undefined || isDeepStrictEqual(tasks, actual) ? [] : [`tasks: expected ${tasks.join(", ")}, got ${actual.join(", ")}`];
}

function describeUnused({ task, route, occurrence, item }: GivenResult): string {
	const parts = Object.entries({ route, occurrence, item }).filter(([, value]) => value !== undefined);
	return `results: unused results of ${[task, ...parts.map(([name, value]) => `${name} ${value}`)].join(", ")}`;
}

const toText = (value: JsonValue) => stringifyJson(value);
