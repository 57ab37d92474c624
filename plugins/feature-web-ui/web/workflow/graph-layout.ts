import { Graph, layout } from "@dagrejs/dagre";
import type { RunGraphRecord } from "../../../_shipped/client.ts";
import { shorten } from "./task-labels.ts";

interface Point {
	readonly x: number;
	readonly y: number;
}

/** Position of the centre of a task. */
export interface PlacedNode extends Point {
	readonly id: string;
}

/** Path and label of an edge. */
export interface PlacedEdge {
	/** Index of the edge in the graph. */
	readonly index: number;
	/** Value of the `d` attribute of an SVG path. */
	readonly path: string;
	readonly label: string;
	/** Position of the centre of the label. */
	readonly at: Point;
}

/** Positions of all tasks and edges of a graph, and the size of the drawing. */
export interface Placed {
	readonly width: number;
	readonly height: number;
	readonly nodes: readonly PlacedNode[];
	readonly edges: readonly PlacedEdge[];
}

/** Size of a task in the drawing. */
export const nodeSize = { width: 210, height: 64 };

/** Number of tasks up to which the slower layout algorithm is used, which gives better results. */
const careful = 250;
const maxLabelLength = 30;

/** Lays out a graph from top to bottom. It may contain cycles and edges from a task to itself. */
export function layOut({ nodes, edges }: RunGraphRecord): Placed {
	const graph = new Graph({ multigraph: true });
	const ranker = nodes.length > careful ? "longest-path" : "network-simplex";
	graph.setGraph({ rankdir: "TB", nodesep: 28, edgesep: 16, ranksep: 36, marginx: 14, marginy: 14, ranker });
	// Use generated keys: task names are arbitrary and may equal inherited object properties such as `constructor`.
	const keys = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
	for (const key of keys.values()) graph.setNode(key, { ...nodeSize });
	const known = [...edges.entries()].filter(([, { from, to }]) => keys.has(from) && keys.has(to));
	const labels = edges.map(({ when }) => (when === null ? "" : shorten(when, maxLabelLength)));
	for (const [index, { from, to }] of known) {
		const width = (labels[index]?.length ?? 0) * 6.2;
		graph.setEdge(keys.get(from) ?? "", keys.get(to) ?? "", { width, height: width > 0 ? 16 : 0, labelpos: "c" }, `e${index}`);
	}
	layout(graph);
	const { width = 0, height = 0 } = graph.graph() as { readonly width?: number; readonly height?: number };
	return {
		width,
		height,
		nodes: nodes.map(({ id }) => ({ id, ...toPoint(graph.node(keys.get(id) ?? "")) })),
		edges: known.map(([index, { from, to }]) => {
			const edge = graph.edge(keys.get(from) ?? "", keys.get(to) ?? "", `e${index}`);
			const path = from === to ? toLoop(toPoint(graph.node(keys.get(from) ?? ""))) : toPath((edge.points ?? []).map(toPoint));
			return { index, path, label: labels[index] ?? "", at: toPoint(edge) };
		}),
	};
}

function toPoint({ x = 0, y = 0 }: { readonly x?: number; readonly y?: number }): Point {
	return { x: Math.round(x), y: Math.round(y) };
}

/** Returns the path of an edge from a task to itself, at the right of the task. */
function toLoop({ x, y }: Point): string {
	const right = x + nodeSize.width / 2;
	return `M${right} ${y - 16}C${right + 44} ${y - 30} ${right + 44} ${y + 30} ${right} ${y + 16}`;
}

/** Returns the path of a line that is curved at the points between its ends. */
function toPath(points: readonly Point[]): string {
	const [first, ...rest] = points;
	const last = rest.pop();
	if (first === undefined || last === undefined) return "";
	const bends = rest.map((point, index) => {
		const next = rest[index + 1] ?? last;
		const end = index === rest.length - 1 ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
		return `Q${point.x} ${point.y} ${end.x} ${end.y}`;
	});
	return `M${first.x} ${first.y}${bends.length === 0 ? `L${last.x} ${last.y}` : bends.join("")}`;
}
