import { type DefinitionFinding, SvcError } from "../../../core/contract/index.ts";
import { checkSemantics } from "./check-semantics.ts";
import { checkShape } from "./check-shape.ts";
import type { Definition } from "./definition.ts";
import { draftDefinition, tasksOf } from "./expand-definition.ts";
import { draftTargets, transitionsOf } from "./expand-task.ts";
import { findingAt, sortFindings } from "./findings.ts";
import { limits } from "./limits.ts";
import { parseSource } from "./parse-source.ts";
import { definitionShape } from "./shape.ts";
import type { SourceNode } from "./source-node.ts";

/** Definition as far as its source can be read, and the findings about its form. */
export interface ParsedDefinition {
	/** Undefined if nothing could be read. */
	readonly read: { readonly top: SourceNode; readonly definition: Definition } | undefined;
	readonly findings: readonly DefinitionFinding[];
}

/** Maximum number of findings that the message of an error names. */
const maxNamedFindings = 5;

/**
 * Reads a definition. Expressions, their variables and the actions are not checked. Throws `SVC_INVALID` with `facts.findings` if there are
 * findings about its form or its graph.
 */
export function readDefinition(text: string): Definition {
	const { read, findings } = parseDefinition(text);
	const sorted = sortFindings(findings);
	if (read !== undefined && sorted.length === 0) return read.definition;
	throw toInvalidError("the definition cannot be read", sorted);
}

/** Returns a `SVC_INVALID` error that names the first findings, and has all of them as `facts.findings`. */
export function toInvalidError(what: string, findings: readonly DefinitionFinding[]): SvcError {
	const more = findings.length > maxNamedFindings ? ` (and ${findings.length - maxNamedFindings} more)` : "";
	const named = findings.slice(0, maxNamedFindings).map(describeFinding).join("; ");
	return new SvcError("SVC_INVALID", `${what}: ${named}${more}`, { facts: { findings } });
}

/** Reads a source and returns the definition with all findings about its form and its graph. Never throws. */
export function parseDefinition(text: string): ParsedDefinition {
	const { top, findings } = parseSource(text);
	if (top === undefined) return { read: undefined, findings };
	const exceededLimits = checkLimits(top);
	if (exceededLimits.length > 0) return { read: undefined, findings: [...findings, ...exceededLimits] };
	const definition = draftDefinition(text, top);
	const problems = [...checkShape(top, definitionShape), ...checkSemantics(top, definition)];
	return { read: { top, definition }, findings: [...findings, ...problems] };
}

function describeFinding({ spec_path, line, message }: DefinitionFinding): string {
	const location = [spec_path, line === null ? null : `line ${line}`].filter((part) => part !== null).join(", ");
	return location === "" ? message : `${location}: ${message}`;
}

/** Returns findings if a definition exceeds the limits, so that its graph must not be built. */
function checkLimits(top: SourceNode): readonly DefinitionFinding[] {
	const tasks = top.property("tasks");
	const count = tasks.names().length;
	if (count > limits.tasks) return [findingAt(tasks, "syntax", `There are ${count} tasks; at most ${limits.tasks} are allowed.`)];
	const targets = [...tasksOf(top).values()].flatMap((task) => transitionsOf(task).map(({ spot }) => draftTargets(spot).length));
	const edges = targets.reduce((sum, each) => sum + each, 0);
	if (edges > limits.edges) return [findingAt(tasks, "syntax", `Transitions have ${edges} targets; at most ${limits.edges} are allowed.`)];
	const longNamed = [...tasksOf(top)].filter(([name]) => name.length > limits.taskName);
	return longNamed.map(([, spot]) => findingAt(spot, "syntax", `The name of a task must have at most ${limits.taskName} characters.`));
}
