import { Graph, layout } from "@dagrejs/dagre";
import type { RunGraphRecord } from "../../features/clients.ts";
import { shorten } from "./task-words.ts";

interface Point {
	readonly x: number;
	readonly y: number;
}

/** Where a task is drawn: its middle. */
export interface PlacedNode extends Point {
	readonly id: string;
}

/** How an edge is drawn. */
export interface PlacedEdge {
	/** Number of the edge in the graph. */
	readonly index: number;
	/** For the `d` of a path. */
	readonly path: string;
	readonly label: string;
	/** Middle of the label. */
	readonly at: Point;
}

/** A graph with places for all of it. */
export interface Placed {
	readonly width: number;
	readonly height: number;
	readonly nodes: readonly PlacedNode[];
	readonly edges: readonly PlacedEdge[];
}

/** What a task takes of the drawing. */
export const nodeSize = { width: 210, height: 64 };

/** Beyond, a quicker way that looks less good. */
const careful = 250;
const longestLabel = 30;

/** Find a place for everything, from top to bottom. What leads back, and a task that leads to itself, are drawn too. */
export function layOut({ nodes, edges }: RunGraphRecord): Placed {
	const graph = new Graph({ multigraph: true });
	const ranker = nodes.length > careful ? "longest-path" : "network-simplex";
	graph.setGraph({ rankdir: "TB", nodesep: 28, edgesep: 16, ranksep: 36, marginx: 14, marginy: 14, ranker });
	// Names may be anything, also what objects have by themselves.
	const keys = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
	for (const key of keys.values()) graph.setNode(key, { ...nodeSize });
	const known = [...edges.entries()].filter(([, { from, to }]) => keys.has(from) && keys.has(to));
	const labels = edges.map(({ when }) => (when === null ? "" : shorten(when, longestLabel)));
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

/** From a task to itself, at its right side. */
function toLoop({ x, y }: Point): string {
	const right = x + nodeSize.width / 2;
	return `M${right} ${y - 16}C${right + 44} ${y - 30} ${right + 44} ${y + 30} ${right} ${y + 16}`;
}

/** A line that bends at the points between its ends. */
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
