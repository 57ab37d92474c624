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
import * as common from "../texts/common.ts";
import * as texts from "../texts/workflow.ts";
import { tellsOfTasks } from "./execution-graph.ts";

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
					<Empty title={texts.noTasks} step={texts.noTasksStep} />
				) : (
					<>
						<DataTable label={texts.tasks} columns={toColumns(run.id)} rows={items} toKey={({ id }) => id} />
						<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
					</>
				)
			}
		</Loaded>
	);
}

function toColumns(run: string): readonly Column<TaskState>[] {
	return [
		{ title: common.status, cell: ({ status }) => <StatusBadge status={status} /> },
		{
			title: texts.task,
			class: "wide",
			cell: ({ name, route }) => (
				<>
					<a href={toHref(`/history/${encodeURIComponent(run)}/graph`, { task: name })}>{escapeControlCharacters(name)}</a>
					{route > 0 && <span class="faint">{texts.route(route)}</span>}
				</>
			),
		},
		{
			title: common.action,
			cell: ({ action }) => (action === null ? <span class="faint">{common.none}</span> : escapeControlCharacters(action)),
		},
		{ title: texts.itemsOfTask, cell: ({ items }) => (items === null ? "" : texts.items(items)) },
		{ title: texts.attempts, class: "right", cell: ({ attempts }) => attempts },
		{ title: common.started, cell: ({ start_timestamp }) => <Ago at={start_timestamp} /> },
		{
			title: common.duration,
			class: "right",
			cell: ({ start_timestamp, end_timestamp }) => <Duration from={start_timestamp} to={end_timestamp ?? undefined} />,
		},
		{ title: common.executions, cell: (task) => <Runs task={task} /> },
	];
}

/** Maximum number of executions that an expanded row lists. */
const maxRuns = 100;

function Runs({ task: { name, execution_ids: ids } }: { readonly task: TaskState }) {
	const isOpen = useSignal(false);
	const [first] = ids;
	if (first === undefined) return <span class="faint">{common.none}</span>;
	if (ids.length === 1) return <a href={toExecutionHref(first)}>{texts.openExecution}</a>;
	return (
		<>
			<button
				type="button"
				class="quiet"
				aria-expanded={isOpen.value}
				aria-label={texts.executionsOf(ids.length, escapeControlCharacters(name))}
				onClick={() => (isOpen.value = !isOpen.value)}
			>
				{texts.executionCount(ids.length)}
			</button>
			{isOpen.value && (
				<ol class="task-run-list">
					{ids.slice(0, maxRuns).map((id) => (
						<li key={id}>
							<a href={toExecutionHref(id)}>{id}</a>
						</li>
					))}
					{ids.length > maxRuns && <li class="faint">{common.andMore(ids.length - maxRuns)}</li>}
				</ol>
			)}
		</>
	);
}
