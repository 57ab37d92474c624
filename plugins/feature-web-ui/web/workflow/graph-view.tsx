import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { RunGraphRecord } from "../../../_shipped/client.ts";
import type { ExecutionViewProps } from "../execution/execution-view.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { addressBar } from "../kit/router.ts";
import { Loaded } from "../parts/loaded.tsx";
import * as texts from "../texts/workflow.ts";
import { useExecutionGraph } from "./execution-graph.ts";
import { GraphDrawing } from "./graph-drawing.tsx";
import { layOut } from "./graph-layout.ts";
import { toSummary } from "./task-labels.ts";
import { TaskPanel } from "./task-panel.tsx";

/** Maximum number of tasks and edges of a graph that is drawn. For larger workflows, the page links to the list of tasks. */
const limits = { nodes: 500, edges: 2_000 };
const smallestZoom = 0.25;
const maxZoom = 2;

/** Shows the workflow as a graph with the progress of the run, next to the panel of the selected task. */
export function View({ run }: ExecutionViewProps) {
	const graph = useExecutionGraph(run);
	return (
		<Loaded resource={graph}>
			{(found) => (
				<div class="graph-columns">
					<GraphBox run={run.id} graph={found} />
					<TaskPanel key={addressBar.query("task")} run={run} graph={found} name={addressBar.query("task")} />
				</div>
			)}
		</Loaded>
	);
}

function GraphBox({ run, graph }: { readonly run: string; readonly graph: RunGraphRecord }) {
	const { nodes, edges } = graph;
	const isLarge = nodes.length > limits.nodes || edges.length > limits.edges;
	return (
		<section class="card graph-card" aria-label={texts.graph}>
			{isLarge ? (
				<p>
					{texts.tooLarge(nodes.length)}
					<a href={toExecutionHref(run, "tasks")}>{texts.listOfTasks}</a>
				</p>
			) : (
				<DrawnGraph run={run} graph={graph} />
			)}
		</section>
	);
}

function DrawnGraph({ run, graph }: { readonly run: string; readonly graph: RunGraphRecord }) {
	const box = useRef<HTMLDivElement>(null);
	const zoom = useSignal(1);
	// The layout depends on the definition alone, so that tasks do not move while the run progresses.
	const placed = useMemo(() => layOut(graph), [JSON.stringify([graph.nodes.map(({ id }) => id), graph.edges.map(toEnds)])]);
	const toFit = (least: number) =>
		box.current === null ? 1 : Math.min(1, Math.max(least, (box.current.clientWidth - 4) / Math.max(1, placed.width)));
	useLayoutEffect(() => {
		zoom.value = toFit(0.6);
	}, [placed]);
	const change = (factor: number) => (zoom.value = Math.min(maxZoom, Math.max(smallestZoom, zoom.value * factor)));
	return (
		<>
			<div class="graph-bar">
				<span role="status">{toSummary(graph.nodes)}</span>
				<a href={toExecutionHref(run, "tasks")}>{texts.asList}</a>
				<button type="button" aria-label={texts.smaller} onClick={() => change(0.8)}>
					−
				</button>
				<button type="button" aria-label={texts.larger} onClick={() => change(1.25)}>
					+
				</button>
				<button type="button" onClick={() => (zoom.value = toFit(smallestZoom))}>
					{texts.fit}
				</button>
			</div>
			<div class="graph-box" ref={box}>
				<GraphDrawing graph={graph} placed={placed} chosen={addressBar.query("task")} zoom={zoom.value} />
			</div>
		</>
	);
}

function toEnds({ from, to, transition, when }: RunGraphRecord["edges"][number]) {
	return [from, to, transition, when];
}
