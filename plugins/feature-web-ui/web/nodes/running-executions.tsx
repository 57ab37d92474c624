import { escapeControlCharacters, type SingleNodeRecord } from "../../../_shipped/client.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";

type Running = SingleNodeRecord["executions"][number];

const columns: readonly Column<Running>[] = [
	{ title: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
	{
		title: "Action",
		class: "wide",
		cell: ({ id, action_ref }) => (
			<a class="row-link" href={toExecutionHref(id)}>
				{escapeControlCharacters(action_ref)}
			</a>
		),
	},
	{ title: "Run", class: "mono", cell: ({ id }) => id },
];

/** Lists the executions that a node or a worker runs. */
export function RunningExecutions({ executions }: { readonly executions: readonly Running[] }) {
	return (
		<>
			<h2>What runs there</h2>
			{executions.length === 0 ? (
				<Empty title="Nothing runs there" />
			) : (
				<DataTable label="What runs there" columns={columns} rows={executions} toKey={(run) => run.id} />
			)}
		</>
	);
}
