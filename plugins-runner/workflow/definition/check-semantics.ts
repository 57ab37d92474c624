import type { DefinitionFinding } from "../../../core/contract/index.ts";
import { addAll, addBit, areEqual, type Bits, createBits } from "./bits.ts";
import { type Definition, engineCommands, type TaskGraph } from "./definition.ts";
import { tasksOf } from "./expand-definition.ts";
import { draftTargets, transitionsOf } from "./expand-task.ts";
import { findingAt } from "./findings.ts";
import { isObject } from "./is-object.ts";
import type { SourceNode } from "./source-node.ts";

/** Names that a task must not have. */
const reservedNames: ReadonlySet<string> = new Set([...engineCommands, "retry"]);

/** Returns findings about definitions that cannot work: reserved task names, unreachable tasks, and undefined targets. */
export function checkSemantics(top: SourceNode, definition: Definition): readonly DefinitionFinding[] {
	const tasks = tasksOf(top);
	return [
		...[...tasks].flatMap(([name, spot]) => checkTask(name, spot)),
		...[...tasks.values()].flatMap((spot) => checkTargets(spot, tasks)),
		...checkStart(top, definition),
		...findUnreachableJoins(definition).flatMap((name) => checkJoin(name, tasks.get(name))),
	];
}

function checkTask(name: string, spot: SourceNode): readonly DefinitionFinding[] {
	const findings: DefinitionFinding[] = [];
	if (reservedNames.has(name))
		findings.push(findingAt(spot, "semantic", `The task name "${name}" is reserved: it is a command of the engine.`));
	const hasItems = isObject(spot.property("with").value);
	if (hasItems && spot.property("action").value === undefined)
		findings.push(findingAt(spot, "semantic", "The action property is required for with items task."));
	return findings;
}

function checkTargets(task: SourceNode, tasks: ReadonlyMap<string, SourceNode>): readonly DefinitionFinding[] {
	return transitionsOf(task).flatMap(({ spot }) =>
		draftTargets(spot)
			.filter((target) => !tasks.has(target) && !reservedNames.has(target))
			.map((target) => findingAt(spot.property("do"), "semantic", `The task "${target}" is not defined.`)),
	);
}

function checkStart(top: SourceNode, { tasks, graph }: Definition): readonly DefinitionFinding[] {
	if (tasks.size === 0 || graph.starts.length > 0) return [];
	const message = "The workflow has no first task: each task follows another one. Add a task that leads into the loop.";
	return [findingAt(top.property("tasks"), "semantic", message)];
}

function checkJoin(name: string, spot: SourceNode | undefined): readonly DefinitionFinding[] {
	const reason = "The routes to it were split differently, so it is ambiguous which of them belong together.";
	return spot === undefined ? [] : [findingAt(spot, "semantic", `The join task "${name}" is unreachable. ${reason}`)];
}

/** Returns the joins that are reached over paths with different splits. */
function findUnreachableJoins({ tasks, graph }: Definition): readonly string[] {
	const splits = findSplitsBefore(graph, [...tasks.keys()]);
	const isUnreachable = (name: string) => {
		const own = splits.get(name);
		return (graph.sources.get(name) ?? []).some((source) => own !== undefined && !areEqual(own, splits.get(source) ?? own));
	};
	return [...tasks.values()].filter(({ name, join }) => join !== null && isUnreachable(name)).map(({ name }) => name);
}

/** Returns the splits on all paths to each task, including the task itself. */
function findSplitsBefore(graph: TaskGraph, names: readonly string[]): ReadonlyMap<string, Bits> {
	const numbers = new Map([...graph.splits].map((name, number) => [name, number]));
	const splitsBefore = new Map(names.map((name) => [name, createBits(numbers.size)]));
	for (const [name, number] of numbers) addBit(splitsBefore.get(name) ?? createBits(0), number);
	const pending = new Set(names);
	for (const name of pending) {
		pending.delete(name);
		for (const { target } of graph.from.get(name) ?? []) {
			const [own, bits] = [splitsBefore.get(name), splitsBefore.get(target)];
			if (own !== undefined && bits !== undefined && addAll(bits, own)) pending.add(target);
		}
	}
	return splitsBefore;
}
