import type { GraphEdge, GraphNode, TaskState } from "../../contract/index.ts";

/** A definition as a graph, with the tasks of a run where it is one's. */
export interface ShownGraph {
	readonly nodes: readonly ShownNode[];
	readonly edges: readonly (GraphEdge & { readonly taken?: number })[];
}

type ShownNode = GraphNode & { readonly tasks?: readonly TaskState[] };

/** Lines: each task, and below it what it leads to. */
export function toGraphText({ nodes, edges }: ShownGraph): string {
	const lines = nodes
		.filter(({ kind }) => kind === "task")
		.flatMap((node) => {
			const own = edges.filter(({ from }) => from === node.id);
			return [toNodeLine(node), ...own.map((edge, index) => `${index === own.length - 1 ? "└─" : "├─"} ${toEdgeText(edge)}`)];
		});
	return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

/** What each task of a node has come to, in one word. */
export function toStates({ tasks = [] }: Pick<ShownNode, "tasks">): string {
	return tasks.map(({ status, items }) => (items === null ? status : `${status} (${items.succeeded} of ${items.total})`)).join(", ");
}

function toNodeLine(node: ShownNode): string {
	const { id, action, items, join, is_start } = node;
	const states = toStates(node);
	return [
		id,
		...(action === null ? [] : [action]),
		...(items === null ? [] : [`for each of ${oneLine(items)}`]),
		...(join === null ? [] : [`joins ${join}`]),
		...(is_start ? ["starts"] : []),
		...(states === "" ? [] : [`[${states}]`]),
	].join("  ");
}

function toEdgeText({ to, when, taken = 0 }: ShownGraph["edges"][number]): string {
	const times = taken > 1 ? ` (taken ${taken} times)` : taken === 1 ? " (taken)" : "";
	return `${when === null ? "" : `${oneLine(when)} `}→ ${to}${times}`;
}

/** What is written over several lines, on one. */
export function oneLine(text: string): string {
	return text.trim().replace(/\s+/g, " ");
}
