import type { DefinitionGraph, TaskState } from "../../contract/index.ts";
import type { RunGraph } from "./workflows-api.ts";

/** A definition with how far a run has come in it. */
export function layProgressOver({ nodes, edges }: DefinitionGraph, tasks: readonly TaskState[]): RunGraph {
	const byName = new Map<string, TaskState[]>();
	const taken = new Map<string, number>();
	for (const task of tasks) {
		byName.set(task.name, [...(byName.get(task.name) ?? []), task]);
		for (const { to, transition } of task.next) {
			const key = toKey(task.name, to, transition);
			taken.set(key, (taken.get(key) ?? 0) + 1);
		}
	}
	return {
		nodes: nodes.map((node) => ({ ...node, tasks: node.kind === "task" ? (byName.get(node.id) ?? []) : [] })),
		edges: edges.map((edge) => ({ ...edge, taken: taken.get(toKey(edge.from, edge.to, edge.transition)) ?? 0 })),
	};
}

function toKey(from: string, to: string, transition: number): string {
	return JSON.stringify([from, to, transition]);
}
