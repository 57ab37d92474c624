import { findCyclicNames } from "./components.ts";
import { type Definition, type Edge, engineCommands, type InputDefinition, type TaskDefinition, type TaskGraph } from "./definition.ts";
import { draftAssignments, draftTiming, elementsOf, locationOf, memberOf } from "./expand-parts.ts";
import { draftTask } from "./expand-task.ts";
import { isObject } from "./is-object.ts";
import { taskName } from "./shape.ts";
import type { SourceNode } from "./source-node.ts";

/**
 * Returns the definition with all shorthand expanded. Values of a wrong shape are omitted, so that the rest can be checked. The definition
 * corresponds to its source only if there are no findings.
 */
export function draftDefinition(text: string, top: SourceNode): Definition {
	const tasks: ReadonlyMap<string, TaskDefinition> = new Map([...tasksOf(top)].map(([name, spot]) => [name, draftTask(name, spot)]));
	return {
		text,
		input: elementsOf(top.property("input")).flatMap(draftInput),
		vars: draftAssignments(top.property("vars")),
		output: draftAssignments(top.property("output")),
		timeout: draftTiming(top.property("timeout")),
		tasks,
		graph: buildGraph(tasks),
	};
}

/** Returns the locations of the tasks, by their names. Members that are not tasks are omitted. */
export function tasksOf(top: SourceNode): ReadonlyMap<string, SourceNode> {
	const tasks = top.property("tasks");
	const members = tasks.names().map((name): [string, SourceNode] => [name, tasks.at(name, `patternProperties.${taskName.path}`)]);
	return new Map(members.filter(([name, spot]) => taskName.pattern.test(name) && isObject(spot.value)));
}

function draftInput(element: SourceNode): readonly InputDefinition[] {
	if (typeof element.value === "string") return [{ ...locationOf(element), name: element.value, default: undefined }];
	const member = memberOf(element);
	return member === undefined ? [] : [{ ...locationOf(element), name: member.name, default: member.spot.value }];
}

type Tasks = ReadonlyMap<string, TaskDefinition>;

const commandNames: ReadonlySet<string> = new Set(engineCommands);

/** Builds the graph. Undefined targets are omitted, and an unreachable task has no edges. */
function buildGraph(tasks: Tasks): TaskGraph {
	const allEdges = new Map([...tasks].map(([name, task]) => [name, edgesOf(task, tasks)]));
	const targets = new Set([...allEdges.values()].flat().map(({ target }) => target));
	const starts = [...tasks.keys()].filter((name) => !targets.has(name)).sort();
	const reached = findReached(starts, allEdges);
	const from = new Map([...allEdges].map(([name, edges]) => [name, reached.has(name) ? edges : []]));
	const sources = findSources(from);
	return { starts, from, sources, splits: findSplits(tasks, from) };
}

function edgesOf({ name, next }: TaskDefinition, tasks: Tasks): readonly Edge[] {
	const numbers = new Map<string, number>();
	const edges: Edge[] = [];
	for (const transition of next) {
		for (const target of transition.targets) {
			if (!tasks.has(target) && !commandNames.has(target)) continue;
			const number = numbers.get(target) ?? 0;
			numbers.set(target, number + 1);
			edges.push({ id: `${target}__t${number}`, source: name, target, transition });
		}
	}
	return edges;
}

function findReached(starts: readonly string[], from: ReadonlyMap<string, readonly Edge[]>): ReadonlySet<string> {
	const reached = new Set(starts);
	for (const name of reached) for (const { target } of from.get(name) ?? []) reached.add(target);
	return reached;
}

function findSources(from: TaskGraph["from"]): TaskGraph["sources"] {
	const sources = new Map<string, Set<string>>([...from.keys()].map((name) => [name, new Set()]));
	for (const { source, target } of [...from.values()].flat()) sources.set(target, (sources.get(target) ?? new Set()).add(source));
	return new Map([...sources].map(([name, names]) => [name, [...names]]));
}

function findSplits(tasks: Tasks, from: TaskGraph["from"]): ReadonlySet<string> {
	const edges = [...from.values()].flat();
	const arriving = new Map<string, number>();
	for (const { target } of edges) arriving.set(target, (arriving.get(target) ?? 0) + 1);
	const cyclic = findCyclicNames(tasks.keys(), (name) => [...new Set((from.get(name) ?? []).map(({ target }) => target))]);
	const isSplit = ([name, count]: [string, number]) => count > 1 && !cyclic.has(name) && (tasks.get(name)?.join ?? null) === null;
	return new Set([...arriving].filter(isSplit).map(([name]) => name));
}
