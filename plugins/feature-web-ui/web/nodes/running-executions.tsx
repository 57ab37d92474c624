import { escapeControlCharacters, type SingleNodeRecord } from "../../../_shipped/client.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/nodes.ts";

type Running = SingleNodeRecord["executions"][number];

const columns: readonly Column<Running>[] = [
	{ title: common.status, cell: ({ status }) => <StatusBadge status={status} /> },
	{
		title: common.action,
		class: "wide",
		cell: ({ id, action_ref }) => (
			<a class="row-link" href={toExecutionHref(id)}>
				{escapeControlCharacters(action_ref)}
			</a>
		),
	},
	{ title: common.execution, class: "mono", cell: ({ id }) => id },
];

/** Lists the executions that a node or a worker runs. */
export function RunningExecutions({ executions }: { readonly executions: readonly Running[] }) {
	return (
		<>
			<h2>{texts.runningExecutions}</h2>
			{executions.length === 0 ? (
				<Empty title={texts.noneRunning} step={texts.noneRunningStep} />
			) : (
				<DataTable label={texts.runningExecutions} columns={columns} rows={executions} toKey={(run) => run.id} />
			)}
		</>
	);
}
