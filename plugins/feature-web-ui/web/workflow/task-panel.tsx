import {
	type ExecutionRecord,
	escapeControlCharacters,
	escapeControlCharactersInLines,
	type RunGraphRecord,
	type TaskState,
} from "../../../_shipped/client.ts";
import { addressBar } from "../kit/router.ts";
import { Empty } from "../parts/empty.tsx";
import { Fact } from "../parts/fact.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago, Duration } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/workflow.ts";
import type { TaskNode } from "./execution-graph.ts";
import { RerunTasks } from "./rerun-tasks.tsx";
import { toNodeTraits } from "./task-labels.ts";
import { TaskRun, TaskRuns } from "./task-runs.tsx";

interface PanelProps {
	readonly run: ExecutionRecord;
	readonly graph: RunGraphRecord;
	/** Name of the selected task; empty if none is selected. */
	readonly name: string;
}

/** Shows one task: its definition, how often it ran, and the input and result of one of its executions. */
export function TaskPanel({ run, graph, name }: PanelProps) {
	const node = graph.nodes.find(({ id }) => id === name);
	if (name === "") return <p class="card faint">{texts.chooseTask}</p>;
	if (node === undefined) return <Empty title={texts.noTask} step={texts.noTaskStep} />;
	const task = node.tasks.at(-1);
	const chosen = addressBar.query("run") || toLastRun(node);
	return (
		<section class="card task-panel" aria-label={texts.taskNamed(escapeControlCharacters(name))}>
			<h2>{escapeControlCharacters(name)}</h2>
			<dl class="facts">
				{node.action !== null && <Fact name={common.action}>{escapeControlCharacters(node.action)}</Fact>}
				{toNodeTraits(node).length > 0 && <Fact name={texts.properties}>{toNodeTraits(node).join(", ")}</Fact>}
				{node.items !== null && (
					<Fact name={texts.itemsOfTask}>
						<code>{escapeControlCharactersInLines(node.items)}</code>
					</Fact>
				)}
			</dl>
			<Next graph={graph} node={node} />
			{task === undefined ? <p class="faint">{texts.taskHasNotRun}</p> : <Passes node={node} />}
			{node.tasks.length > 0 && <TaskRuns key={name} tasks={node.tasks} chosen={chosen} />}
			{task !== undefined && <RerunTasks run={run} task={name} label={texts.runFromHere} />}
			{chosen !== undefined && <TaskRun key={chosen} id={chosen} />}
		</section>
	);
}

/** Shows the following tasks and the conditions for them. */
function Next({ graph, node }: { readonly graph: RunGraphRecord; readonly node: TaskNode }) {
	const edges = graph.edges.filter(({ from }) => from === node.id);
	if (edges.length === 0) return null;
	return (
		<>
			<h3>{texts.nextTasks}</h3>
			<ul class="task-next">
				{edges.map(({ to, when, publish = [], taken, transition }) => (
					<li key={`${transition} ${to}`} class={taken > 0 ? undefined : "faint"}>
						{escapeControlCharacters(to)}
						{when !== null && (
							<>
								{texts.when}
								<code>{escapeControlCharactersInLines(when)}</code>
							</>
						)}
						{publish.length > 0 && texts.publishes(escapeControlCharacters(publish.join(", ")))}
						{taken > 0 && texts.taken(taken)}
					</li>
				))}
			</ul>
		</>
	);
}

/**
 * Maximum number of runs of a task that are shown; older ones are left out. A task runs more than once if a loop or several routes lead to
 * it.
 */
const maxPasses = 20;

function Passes({ node: { tasks } }: { readonly node: TaskNode }) {
	return (
		<>
			<h3>{texts.ran(tasks.length)}</h3>
			<ul class="task-passes" aria-label={texts.ran(tasks.length)}>
				{tasks.slice(-maxPasses).map((task) => (
					<li key={task.id}>
						<Pass task={task} />
					</li>
				))}
			</ul>
		</>
	);
}

function Pass({ task }: { readonly task: TaskState }) {
	const { status, route, attempts, start_timestamp, end_timestamp, items } = task;
	return (
		<>
			<StatusBadge status={status} /> <Ago at={start_timestamp} />
			{texts.took}
			<Duration from={start_timestamp} to={end_timestamp ?? undefined} />
			{attempts > 1 && texts.attemptCount(attempts)}
			{route > 0 && `,${texts.route(route)}`}
			{items !== null && texts.joined(texts.items(items))}
		</>
	);
}

function toLastRun({ tasks }: TaskNode): string | undefined {
	return tasks.flatMap(({ execution_ids }) => execution_ids).at(-1);
}
