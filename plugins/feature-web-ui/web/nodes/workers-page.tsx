import { escapeControlCharacters, type WorkerRecord } from "../../../_shipped/client.ts";
import { useRepeated, useResource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/nodes.ts";

const every = 5_000;

const columns: readonly Column<WorkerRecord>[] = [
	{ title: common.state, cell: ({ state }) => <StatusBadge status={state} /> },
	{
		title: common.worker,
		cell: ({ id, name }) => (
			<a class="row-link" href={toHref(toPath("/workers/:id", { id }))}>
				{escapeControlCharacters(name)}
			</a>
		),
	},
	{ title: texts.labels, class: "wide", cell: ({ labels }) => labels.join(", ") },
	{ title: texts.runnerTypes, class: "wide", cell: ({ runners }) => escapeControlCharacters(runners.join(", ")) },
	{ title: texts.running, class: "right", cell: ({ running, places }) => texts.runningOf(running, places) },
	{ title: common.version, cell: ({ version }) => escapeControlCharacters(version) },
	{ title: texts.lastSeen, cell: ({ seen_at }) => <Ago at={seen_at} /> },
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
				<h1>{common.workers}</h1>
			</div>
			<Loaded resource={workers}>
				{({ items }) =>
					items.length === 0 ? (
						<Empty title={texts.noWorkers} step={texts.noWorkersStep} />
					) : (
						<DataTable label={common.workers} columns={columns} rows={items} toKey={({ id }) => id} />
					)
				}
			</Loaded>
		</>
	);
}
