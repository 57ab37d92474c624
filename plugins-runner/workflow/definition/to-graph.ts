import type { DefinitionGraph, GraphEdge, GraphNode } from "../../../core/contract/index.ts";
import { type Definition, engineCommands, type TaskDefinition } from "./definition.ts";

/** Returns a definition as a graph: its tasks in the order of the source, then the commands that are targets of transitions. */
export function toGraph({ tasks, graph }: Definition): DefinitionGraph {
	const edges = [...tasks.keys()].flatMap((name) =>
		(graph.from.get(name) ?? []).map(({ source, target, transition }): GraphEdge => {
			const { index, when, publish } = transition;
			return { from: source, to: target, transition: index, when, publish: publish.map(({ name }) => name) };
		}),
	);
	const starts = new Set(graph.starts);
	const commands = engineCommands.filter((name) => edges.some(({ to }) => to === name));
	return { nodes: [...[...tasks.values()].map((task) => toNode(task, starts)), ...commands.map(toCommand)], edges };
}

function toNode({ name, action, join, items }: TaskDefinition, starts: ReadonlySet<string>): GraphNode {
	const itemsText = items === null ? null : [...(items.names.length > 0 ? [items.names.join(", "), "in"] : []), items.list].join(" ");
	return { id: name, kind: "task", action, join, items: itemsText, is_start: starts.has(name) };
}

function toCommand(name: string): GraphNode {
	return { id: name, kind: "command", action: null, join: null, items: null, is_start: false };
}
