import { tasksOf } from "./expand-definition.ts";
import { elementsOf, memberOf } from "./expand-parts.ts";
import { draftAction, splitItems, transitionsOf } from "./expand-task.ts";
import type { ExpressionFinder, LocatedUse } from "./expression-finder.ts";
import { parseInlineArguments } from "./inline-arguments.ts";
import type { SourceNode } from "./source-node.ts";

/** Expressions of a variable that is assigned. */
export interface AssignmentUses {
	/** Undefined if the name cannot be determined. */
	readonly name: string | undefined;
	readonly uses: readonly LocatedUse[];
}

export interface TransitionUses {
	readonly when: readonly LocatedUse[];
	readonly publish: readonly AssignmentUses[];
}

export interface TaskUses {
	/** Expressions of the task itself, without those of its transitions. */
	readonly own: readonly LocatedUse[];
	readonly transitions: readonly TransitionUses[];
}

/** All expressions of a definition, in the order of their evaluation. */
export interface DefinitionUses {
	readonly input: readonly AssignmentUses[];
	readonly vars: readonly AssignmentUses[];
	readonly timeout: readonly LocatedUse[];
	readonly tasks: ReadonlyMap<string, TaskUses>;
	readonly output: readonly AssignmentUses[];
}

export function findDefinitionUses(top: SourceNode, finder: ExpressionFinder): DefinitionUses {
	return {
		input: findAssignments(top.property("input"), finder),
		vars: findAssignments(top.property("vars"), finder),
		timeout: finder.find(top.property("timeout")),
		tasks: new Map([...tasksOf(top)].map(([name, spot]) => [name, findTask(spot, finder)])),
		output: findAssignments(top.property("output"), finder),
	};
}

/** Returns all expressions of a definition as one list. */
export function toUses({ input, vars, timeout, tasks, output }: DefinitionUses): readonly LocatedUse[] {
	const ofTasks = [...tasks.values()].flatMap(({ own, transitions }) => {
		return [...own, ...transitions.flatMap(({ when, publish }) => [...when, ...publish.flatMap(({ uses }) => uses)])];
	});
	return [...[...input, ...vars].flatMap(({ uses }) => uses), ...timeout, ...ofTasks, ...output.flatMap(({ uses }) => uses)];
}

function findTask(task: SourceNode, finder: ExpressionFinder): TaskUses {
	const [itemized, retry] = [task.property("with"), task.property("retry")];
	const own = [
		...finder.find(task.property("delay")),
		...finder.find(task.property("timeout")),
		...findItems(itemized.property("items"), finder),
		...finder.find(itemized.property("concurrency")),
		...findAction(task, finder),
		...["when", "count", "delay"].flatMap((name) => finder.find(retry.property(name))),
	];
	const transitions = transitionsOf(task).map(({ spot }) => {
		const publish = findAssignments(spot.property("publish"), finder);
		return { when: finder.find(spot.property("when")), publish };
	});
	return { own, transitions };
}

function findItems(spot: SourceNode, finder: ExpressionFinder): readonly LocatedUse[] {
	const list = typeof spot.value === "string" ? splitItems(spot.value)?.list : undefined;
	return list === undefined ? finder.find(spot) : finder.findIn(list, spot);
}

/**
 * Returns the expressions of an action and its input. Arguments in the same string as the action are searched one by one, because they may
 * be written in either language.
 */
function findAction(task: SourceNode, finder: ExpressionFinder): readonly LocatedUse[] {
	const spot = task.property("action");
	const { action, input } = draftAction(task);
	if (action === null || action === spot.value) return [...finder.find(spot), ...finder.find(task.property("input"))];
	return [...finder.findIn(action, spot), ...finder.findIn(input, spot)];
}

function findAssignments(spot: SourceNode, finder: ExpressionFinder): readonly AssignmentUses[] {
	if (typeof spot.value === "string") {
		const parsed = parseInlineArguments(spot.value);
		if (parsed.length === 0) return [{ name: undefined, uses: finder.find(spot) }];
		return parsed.map(({ name, value }) => ({ name, uses: finder.findIn(value, spot) }));
	}
	return elementsOf(spot).map((element) => {
		if (typeof element.value === "string") return { name: element.value, uses: [] };
		return { name: memberOf(element)?.name, uses: finder.find(element) };
	});
}
