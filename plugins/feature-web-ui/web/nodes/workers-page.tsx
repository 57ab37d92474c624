import { escapeControlCharacters, type WorkerRecord } from "../../../_shipped/client.ts";
import { useRepeated, useResource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";

const every = 5_000;

const columns: readonly Column<WorkerRecord>[] = [
	{ title: "State", cell: ({ state }) => <StatusBadge status={state} /> },
	{
		title: "Worker",
		cell: ({ id, name }) => (
			<a class="row-link" href={toHref(toPath("/workers/:id", { id }))}>
				{escapeControlCharacters(name)}
			</a>
		),
	},
	{ title: "Labels", class: "wide", cell: ({ labels }) => labels.join(", ") },
	{ title: "Runner types", class: "wide", cell: ({ runners }) => escapeControlCharacters(runners.join(", ")) },
	{ title: "Runs", class: "right", cell: ({ running, places }) => `${running} of ${places}` },
	{ title: "Version", cell: ({ version }) => escapeControlCharacters(version) },
	{ title: "Last seen", cell: ({ seen_at }) => <Ago at={seen_at} /> },
];

/** Lists the workers: machines that fetch executions from the service and need not accept connections. */
export function Page() {
	const workers = useRepeated(
		useResource(() => client.workers.list(), []),
		every,
	);
	return (
		<>
			<div class="page-head">
				<h1>Workers</h1>
			</div>
			<Loaded resource={workers}>
				{({ items }) =>
					items.length === 0 ? (
						<Empty title="No worker has asked for work within a day" />
					) : (
						<DataTable label="Workers" columns={columns} rows={items} toKey={({ id }) => id} />
					)
				}
			</Loaded>
		</>
	);
}
