import { useEffect, useRef } from "preact/hooks";
import { escapeControlCharacters, escapeControlCharactersInLines, type RunGraphRecord } from "../../../_shipped/client.ts";
import { addressBar, toHref } from "../kit/router.ts";
import { toTone } from "../parts/status-badge.tsx";
import * as texts from "../texts/workflow.ts";
import type { TaskNode } from "./execution-graph.ts";
import { nodeSize, type Placed, type PlacedEdge, type PlacedNode } from "./graph-layout.ts";
import { shorten, toNodeStatus, toNodeTraits, toNodeWords } from "./task-labels.ts";

interface DrawingProps {
	readonly graph: RunGraphRecord;
	readonly placed: Placed;
	/** Name of the selected task; empty if none is selected. */
	readonly chosen: string;
	readonly zoom: number;
}

/**
 * Draws the workflow definition with the progress of the run. The tasks are links. The Tab key focuses one of them, and the arrow keys move
 * between them.
 */
export function GraphDrawing({ graph, placed, chosen, zoom }: DrawingProps) {
	const svg = useRef<SVGSVGElement>(null);
	const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
	const reached = nodes.has(chosen) ? chosen : graph.nodes[0]?.id;
	const find = (id: string) => [...(svg.current?.querySelectorAll<SVGAElement>("a") ?? [])].find((link) => link.dataset["task"] === id);
	useEffect(() => {
		if (chosen !== "") find(chosen)?.scrollIntoView({ block: "nearest", inline: "nearest" });
	}, [chosen]);
	const move = (event: KeyboardEvent) => {
		const from = document.activeElement instanceof SVGElement ? document.activeElement.dataset["task"] : undefined;
		if (from === undefined || !isArrow(event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
		event.preventDefault();
		const next = findNeighbour(placed.nodes, from, event.key);
		if (next !== undefined) find(next)?.focus();
	};
	return (
		// biome-ignore lint/a11y/useSemanticElements: there is no element for a group in a drawing.
		<svg
			ref={svg}
			class="graph"
			role="group"
			aria-label={texts.graphLabel}
			viewBox={`0 0 ${placed.width} ${placed.height}`}
			width={placed.width * zoom}
			height={placed.height * zoom}
			onKeyDown={move}
		>
			<defs>
				{["taken", "open"].map((name) => (
					<marker key={name} id={`arrow-${name}`} viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
						<path class={`arrow ${name}`} d="M0 0L8 4L0 8z" />
					</marker>
				))}
			</defs>
			{placed.edges.map((edge) => (
				<Edge key={edge.index} edge={edge} graph={graph} />
			))}
			{placed.nodes.map((place) => {
				const node = nodes.get(place.id);
				return node && <Node key={place.id} node={node} place={place} isChosen={place.id === chosen} isReached={place.id === reached} />;
			})}
		</svg>
	);
}

function Edge({ edge: { index, path, label, at }, graph }: { readonly edge: PlacedEdge; readonly graph: RunGraphRecord }) {
	const { from, to, when, publish = [], taken } = graph.edges[index] ?? { from: "", to: "", when: null, taken: 0 };
	const published = publish.length === 0 ? "" : texts.edgePublishes(escapeControlCharacters(publish.join(", ")));
	const state = taken > 0 ? "taken" : "open";
	const condition = when === null ? "" : texts.edgeCondition(escapeControlCharactersInLines(when));
	return (
		<g class={`edge ${state}`}>
			<title>{`${texts.edge(escapeControlCharacters(from), escapeControlCharacters(to))}${condition}${published}${texts.edgeTaken(taken)}`}</title>
			<path d={path} marker-end={`url(#arrow-${state})`} />
			{(label !== "" || taken > 1) && (
				<text x={at.x} y={at.y + 4}>
					{label}
					{taken > 1 && ` ×${taken}`}
				</text>
			)}
		</g>
	);
}

const lineNames = ["name", "action", "state"];

interface NodeProps {
	readonly node: TaskNode;
	readonly place: PlacedNode;
	readonly isChosen: boolean;
	readonly isReached: boolean;
}

function Node({ node, place, isChosen, isReached }: NodeProps) {
	const { width, height } = nodeSize;
	const [x, y] = [place.x - width / 2, place.y - height / 2];
	const status = toNodeStatus(node);
	const words = toNodeWords(node);
	const traits = toNodeTraits(node);
	const what = node.action ?? (node.kind === "command" ? "" : texts.noAction);
	const { path, query } = addressBar.current.value;
	const href = toHref(path, { ...Object.fromEntries(query), task: node.id, run: undefined });
	const lines = [node.id, [what, ...traits].filter((part) => part !== "").join(" · "), words || texts.notRun];
	return (
		<g>
			<title>{lines.map(escapeControlCharacters).join("\n")}</title>
			<a
				href={href}
				data-task={node.id}
				tabindex={isReached ? 0 : -1}
				aria-current={isChosen ? "true" : undefined}
				class={`node ${node.kind} ${status === undefined ? "idle" : toTone(status)}`}
			>
				{node.tasks.length > 1 && <rect class="pile" x={x + 4} y={y + 4} width={width} height={height} rx="6" />}
				<rect class="box" x={x} y={y} width={width} height={height} rx="6" />
				<rect class="mark" x={x} y={y} width="5" height={height} rx="2" />
				{lines.map((line, index) => (
					<text key={lineNames[index]} class={lineNames[index]} x={x + 14} y={y + 19 + index * 17}>
						{shorten(line, index === 0 ? 27 : 34)}{" "}
					</text>
				))}
			</a>
		</g>
	);
}

/** Direction of each arrow key as steps to the right and down. */
const directions = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] } as const;

type Arrow = keyof typeof directions;

function isArrow(key: string): key is Arrow {
	return Object.hasOwn(directions, key);
}

/** Returns the nearest task in the direction of an arrow key. A distance to the side counts twice. */
function findNeighbour(nodes: readonly PlacedNode[], id: string, arrow: Arrow): string | undefined {
	const from = nodes.find((node) => node.id === id);
	if (from === undefined) return undefined;
	const [right, down] = directions[arrow];
	let best: string | undefined;
	let least = Number.POSITIVE_INFINITY;
	for (const node of nodes) {
		const [x, y] = [node.x - from.x, node.y - from.y];
		const ahead = x * right + y * down;
		const cost = ahead + 2 * Math.abs(x * down + y * right);
		if (ahead <= 0 || cost >= least) continue;
		best = node.id;
		least = cost;
	}
	return best;
}
