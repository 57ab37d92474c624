import type { DefinitionGraph, GraphEdge } from "../../../core/contract/index.ts";
import type { Chain } from "./chain.ts";

/** Returns the graph of a chain. Transition 0 follows a success, and transition 1 follows a failure. */
export function toGraph({ nodes, start }: Chain): DefinitionGraph {
	const runnable = nodes.filter(({ name }, index) => nodes.findIndex((node) => node.name === name) === index);
	const names = new Set(runnable.map(({ name }) => name));
	const edges = runnable.flatMap(({ name, onSuccess, onFailure }): GraphEdge[] => [
		...toEdge(name, onSuccess, { transition: 0, when: "on-success" }),
		...toEdge(name, onFailure, { transition: 1, when: "on-failure" }),
	]);
	return {
		nodes: runnable.map(({ name, ref }) => ({ id: name, kind: "task", action: ref, join: null, items: null, is_start: name === start })),
		edges: edges.filter(({ to }) => names.has(to)),
	};
}

function toEdge(from: string, to: string | null, rest: Pick<GraphEdge, "transition" | "when">): readonly GraphEdge[] {
	return to === null ? [] : [{ from, to, ...rest }];
}
