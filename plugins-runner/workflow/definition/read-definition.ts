import { type DefinitionFinding, SvcError } from "../../../core/contract/index.ts";
import { checkSemantics } from "./check-semantics.ts";
import { checkShape } from "./check-shape.ts";
import type { Definition } from "./definition.ts";
import { draftDefinition, tasksOf } from "./draft-definition.ts";
import { draftTargets, transitionsOf } from "./draft-task.ts";
import { findingAt, sortFindings } from "./finding.ts";
import { limits } from "./limits.ts";
import { parseSource } from "./parse-source.ts";
import { definitionShape } from "./shape.ts";
import type { Spot } from "./source.ts";

/** A definition as far as its text makes sense, and what is wrong with its form. */
export interface ParsedDefinition {
	/** Undefined when there is nothing to look at. */
	readonly read: { readonly top: Spot; readonly definition: Definition } | undefined;
	readonly findings: readonly DefinitionFinding[];
}

/** Most findings that an error names. */
const mostNamed = 5;

/**
 * The definition that a text holds. Expressions, what they refer to, and actions are not looked at. `SVC_INVALID` with `facts.findings`
 * for one that has other findings than warnings without them.
 */
export function readDefinition(text: string): Definition {
	const { read, findings } = parseDefinition(text);
	const sorted = sortFindings(findings);
	if (read !== undefined && sorted.length === 0) return read.definition;
	throw toInvalidError("the definition cannot be read", sorted);
}

/** An error that names the first findings, and has all of them as `facts.findings`. */
export function toInvalidError(what: string, findings: readonly DefinitionFinding[]): SvcError {
	const more = findings.length > mostNamed ? ` (and ${findings.length - mostNamed} more)` : "";
	const named = findings.slice(0, mostNamed).map(nameFinding).join("; ");
	return new SvcError("SVC_INVALID", `${what}: ${named}${more}`, { facts: { findings } });
}

/** What a text holds, with everything that is wrong with its form and what leads where. Never throws. */
export function parseDefinition(text: string): ParsedDefinition {
	const { top, findings } = parseSource(text);
	if (top === undefined) return { read: undefined, findings };
	const tooMuch = checkLimits(top);
	if (tooMuch.length > 0) return { read: undefined, findings: [...findings, ...tooMuch] };
	const definition = draftDefinition(text, top);
	const problems = [...checkShape(top, definitionShape), ...checkSemantics(top, definition)];
	return { read: { top, definition }, findings: [...findings, ...problems] };
}

function nameFinding({ spec_path, line, message }: DefinitionFinding): string {
	const place = [spec_path, line === null ? null : `line ${line}`].filter((part) => part !== null).join(", ");
	return place === "" ? message : `${place}: ${message}`;
}

/** Whether a definition is so large that its graph is not even made. */
function checkLimits(top: Spot): readonly DefinitionFinding[] {
	const tasks = top.property("tasks");
	const count = tasks.names().length;
	if (count > limits.tasks) return [findingAt(tasks, "syntax", `There are ${count} tasks; at most ${limits.tasks} are allowed.`)];
	const targets = [...tasksOf(top).values()].flatMap((task) => transitionsOf(task).map(({ spot }) => draftTargets(spot).length));
	const edges = targets.reduce((sum, each) => sum + each, 0);
	if (edges > limits.edges) return [findingAt(tasks, "syntax", `Transitions have ${edges} targets; at most ${limits.edges} are allowed.`)];
	const long = [...tasksOf(top)].filter(([name]) => name.length > limits.taskName);
	return long.map(([, spot]) => findingAt(spot, "syntax", `The name of a task has at most ${limits.taskName} characters.`));
}
