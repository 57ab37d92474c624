import type { DefinitionFinding } from "../../../core/contract/index.ts";
import type { Definition } from "./definition.ts";
import { tasksOf } from "./expand-definition.ts";
import { draftTargets, transitionsOf } from "./expand-task.ts";
import type { ExpressionFinder } from "./expression-finder.ts";
import { findingAt } from "./findings.ts";
import { findTruncatedArguments } from "./inline-arguments.ts";
import type { SourceNode } from "./source-node.ts";

/** Matches conditions that are always true. */
const alwaysTrueExpression = /^(?:<%\s*(?:true|[1-9]\d*)\s*%>|\{\{\s*(?:true|True|[1-9]\d*)\s*\}\})$/;

/** Returns warnings about definitions that run, but perhaps not as intended. */
export function checkWarnings(top: SourceNode, definition: Definition, finder: ExpressionFinder): readonly DefinitionFinding[] {
	const assignments = ["input", "vars", "output"].flatMap((name) => checkShorthand(top.property(name)));
	const tasks = [...tasksOf(top)].flatMap(([name, spot]) => [
		...checkShorthand(spot.property("action")),
		...transitionsOf(spot).flatMap((each) => checkShorthand(each.spot.property("publish"))),
		...checkReached(name, spot, definition),
		...checkRetry(spot),
		...[spot.property("retry"), ...transitionsOf(spot).map((each) => each.spot)].flatMap((each) =>
			checkWhen(each.property("when"), finder),
		),
	]);
	return [...assignments, ...tasks];
}

/** Warns about quoted values that end early: a value in quotes cannot contain the same quotes, so it ends at the first one. */
function checkShorthand(spot: SourceNode): readonly DefinitionFinding[] {
	if (typeof spot.value !== "string") return [];
	return findTruncatedArguments(spot.value).map((name) =>
		findingAt(
			spot,
			"warning",
			`The value of "${name}" ends at an inner quote, and the rest is lost; use the other kind of quotes, or an object instead of a string.`,
		),
	);
}

function checkReached(name: string, spot: SourceNode, { graph }: Definition): readonly DefinitionFinding[] {
	const isReached = graph.starts.includes(name) || (graph.sources.get(name) ?? []).length > 0;
	return isReached ? [] : [findingAt(spot, "warning", `The task "${name}" is never reached: only tasks that follow it lead to it.`)];
}

function checkRetry(task: SourceNode): readonly DefinitionFinding[] {
	const retryTransitions = transitionsOf(task).filter(({ spot }) => draftTargets(spot).includes("retry"));
	if (retryTransitions.length === 0 || task.property("retry").value === undefined) return [];
	return [
		findingAt(
			task.property("retry"),
			"warning",
			"The attribute retry has no effect: a transition leads to the command retry, which replaces it.",
		),
	];
}

function checkWhen(spot: SourceNode, finder: ExpressionFinder): readonly DefinitionFinding[] {
	const { value } = spot;
	if (typeof value !== "string" || value === "") return [];
	const reason = findReasonForTrue(value, finder, spot);
	return reason === undefined ? [] : [findingAt(spot, "warning", `The condition "${value}" is always true, ${reason}.`)];
}

function findReasonForTrue(text: string, finder: ExpressionFinder, spot: SourceNode): string | undefined {
	const uses = finder.findIn(text, spot);
	if (uses.length === 0) return "because it contains no expression";
	if (alwaysTrueExpression.test(text.trim())) return "because its expression is";
	// A string with `{% … %}` blocks is one expression, including everything between them.
	const isText = uses.every(({ expression }) => expression !== text) && !text.includes("{%");
	return isText ? "because it is a string that contains more than one expression" : undefined;
}
