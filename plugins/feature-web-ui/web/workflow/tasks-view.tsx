import { useSignal } from "@preact/signals";
import { escapeControlCharacters, type TaskState } from "../../../_shipped/client.ts";
import type { ExecutionViewProps } from "../execution/execution-view.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { useResource } from "../kit/resource.ts";
import { toHref } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago, Duration } from "../parts/time.tsx";
import { tellsOfTasks } from "./execution-graph.ts";
import { toItemWords } from "./task-labels.ts";

const pageSize = 50;

/** Lists the tasks of a run by start time, with one row for all items of a task. */
export function View({ run }: ExecutionViewProps) {
	const paging = toPaging(pageSize);
	const tasks = useResource((signal) => client.executions.tasks(run.id, paging, { signal }), [run.id, paging.offset], {
		isTouched: (event) => tellsOfTasks(event, run.id),
	});
	return (
		<Loaded resource={tasks}>
			{({ items, total, hasMore }) =>
				items.length === 0 ? (
					<Empty title="No task has begun yet" />
				) : (
					<>
						<DataTable label="Tasks" columns={toColumns(run.id)} rows={items} toKey={({ id }) => id} />
						<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
					</>
				)
			}
		</Loaded>
	);
}

function toColumns(run: string): readonly Column<TaskState>[] {
	return [
		{ title: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
		{
			title: "Task",
			class: "wide",
			cell: ({ name, route }) => (
				<>
					<a href={toHref(`/history/${encodeURIComponent(run)}/graph`, { task: name })}>{escapeControlCharacters(name)}</a>
					{route > 0 && <span class="faint"> route {route}</span>}
				</>
			),
		},
		{ title: "Action", cell: ({ action }) => (action === null ? <span class="faint">none</span> : escapeControlCharacters(action)) },
		{ title: "Items", cell: ({ items }) => (items === null ? "" : toItemWords(items)) },
		{ title: "Tries", class: "right", cell: ({ attempts }) => attempts },
		{ title: "Started", cell: ({ start_timestamp }) => <Ago at={start_timestamp} /> },
		{
			title: "Took",
			class: "right",
			cell: ({ start_timestamp, end_timestamp }) => <Duration from={start_timestamp} to={end_timestamp ?? undefined} />,
		},
		{ title: "Runs", cell: (task) => <Runs task={task} /> },
	];
}

/** Maximum number of executions that an expanded row lists. */
const maxRuns = 100;

function Runs({ task: { name, execution_ids: ids } }: { readonly task: TaskState }) {
	const isOpen = useSignal(false);
	const [first] = ids;
	if (first === undefined) return <span class="faint">none</span>;
	if (ids.length === 1) return <a href={toExecutionHref(first)}>Open its run</a>;
	return (
		<>
			<button
				type="button"
				class="quiet"
				aria-expanded={isOpen.value}
				aria-label={`${ids.length} runs of ${escapeControlCharacters(name)}`}
				onClick={() => (isOpen.value = !isOpen.value)}
			>
				{ids.length} runs
			</button>
			{isOpen.value && (
				<ol class="task-run-list">
					{ids.slice(0, maxRuns).map((id) => (
						<li key={id}>
							<a href={toExecutionHref(id)}>{id}</a>
						</li>
					))}
					{ids.length > maxRuns && <li class="faint">and {ids.length - maxRuns} more</li>}
				</ol>
			)}
		</>
	);
}
