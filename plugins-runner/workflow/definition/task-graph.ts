import { findCyclic } from "./components.ts";
import { type Edge, engineCommands, type TaskDefinition, type TaskGraph } from "./definition.ts";

type Tasks = ReadonlyMap<string, TaskDefinition>;

const commands: ReadonlySet<string> = new Set(engineCommands);

/** What leads where. Targets that are not defined are left out; what nothing reaches leads nowhere. */
export function buildGraph(tasks: Tasks): TaskGraph {
	const all = new Map([...tasks].map(([name, task]) => [name, edgesOf(task, tasks)]));
	const targets = new Set([...all.values()].flat().map(({ target }) => target));
	const starts = [...tasks.keys()].filter((name) => !targets.has(name)).sort();
	const reached = findReached(starts, all);
	const from = new Map([...all].map(([name, edges]) => [name, reached.has(name) ? edges : []]));
	const sources = findSources(from);
	return { starts, from, sources, splits: findSplits(tasks, from) };
}

function edgesOf({ name, next }: TaskDefinition, tasks: Tasks): readonly Edge[] {
	const numbers = new Map<string, number>();
	const edges: Edge[] = [];
	for (const transition of next) {
		for (const target of transition.targets) {
			if (!tasks.has(target) && !commands.has(target)) continue;
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
	const cyclic = findCyclic(tasks.keys(), (name) => [...new Set((from.get(name) ?? []).map(({ target }) => target))]);
	const isSplit = ([name, count]: [string, number]) => count > 1 && !cyclic.has(name) && (tasks.get(name)?.join ?? null) === null;
	return new Set([...arriving].filter(isSplit).map(([name]) => name));
}
