import type { ExecutionRecord } from "../../../_shipped/client.ts";
import { now } from "../kit/clock.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { StatusBadge, toTone } from "../parts/status-badge.tsx";
import { Ago, Duration } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/execution-list.ts";
import { toExecutionHref } from "./execution-address.ts";

/** Attributes that the table requests. Results are left out because they may be large. */
export const executionAttributes = "id,status,start_timestamp,end_timestamp,action.ref,context.user,rule.ref,parent";

interface ExecutionTableProps {
	readonly runs: readonly ExecutionRecord[];
	readonly label?: string;
	readonly chosen?: ReadonlySet<string>;
	readonly onChoose?: (chosen: ReadonlySet<string>) => void;
}

/** Shows executions as a table. A bar in each row shows when the execution ran compared with the others. */
export function ExecutionTable({ runs, label = common.executions, ...choice }: ExecutionTableProps) {
	const columns: readonly Column<ExecutionRecord>[] = [
		{ title: common.status, cell: ({ status }) => <StatusBadge status={status} /> },
		{
			title: common.action,
			class: "wide",
			cell: (run) => (
				<a class="row-link" href={toExecutionHref(run.id)}>
					{run.action.ref}
				</a>
			),
		},
		{ title: common.startedBy, cell: (run) => <Cause run={run} /> },
		{ title: common.started, cell: ({ start_timestamp }) => <Ago at={start_timestamp} /> },
		{ title: common.duration, class: "right", cell: (run) => <Duration from={run.start_timestamp} to={run.end_timestamp} /> },
		{ title: common.timeline, class: "span-cell", cell: (run) => <Span run={run} {...toFrame(runs)} /> },
	];
	return <DataTable label={label} columns={columns} rows={runs} toKey={({ id }) => id} {...choice} />;
}

/** Shows the rule that started the execution, or otherwise the user. */
function Cause({ run }: { readonly run: ExecutionRecord }) {
	const { user } = run.context;
	const name = typeof user === "string" ? user : "–";
	return <span>{run.rule?.ref === undefined ? name : texts.byRule(run.rule.ref)}</span>;
}

/** Returns the time from the first start to the last end of the displayed executions, in milliseconds since 1970. */
function toFrame(runs: readonly ExecutionRecord[]): { readonly from: number; readonly to: number } {
	const starts = runs.map(({ start_timestamp }) => Date.parse(start_timestamp));
	const ends = runs.map(({ end_timestamp }) => (end_timestamp === undefined ? now.value : Date.parse(end_timestamp)));
	return { from: Math.min(...starts), to: Math.max(...ends) };
}

function Span({ run, from, to }: { readonly run: ExecutionRecord; readonly from: number; readonly to: number }) {
	const start = Date.parse(run.start_timestamp);
	const end = run.end_timestamp === undefined ? now.value : Date.parse(run.end_timestamp);
	const whole = Math.max(1, to - from);
	const percent = (value: number) => `${Math.min(100, Math.max(0, (value / whole) * 100)).toFixed(2)}%`;
	return (
		<div class="span-box" aria-hidden="true">
			<div class={`span ${toTone(run.status)}`} style={{ left: percent(start - from), width: percent(end - start) }} />
		</div>
	);
}
