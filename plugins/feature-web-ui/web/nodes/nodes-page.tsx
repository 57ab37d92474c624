import { escapeControlCharacters, type NodeRecord } from "../../../_shipped/client.ts";
import { useRepeated, useResource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";

const every = 5_000;

const columns: readonly Column<NodeRecord>[] = [
	{ title: "State", cell: ({ state }) => <StatusBadge status={state} /> },
	{
		title: "Node",
		cell: ({ id, name }) => (
			<a class="row-link" href={toNodeHref(id)}>
				{escapeControlCharacters(name)}
			</a>
		),
	},
	{ title: "Does", class: "wide", cell: ({ roles }) => roles.join(", ") },
	{ title: "Runs", class: "right", cell: ({ running }) => running },
	{ title: "Version", cell: ({ version }) => escapeControlCharacters(version) },
	{ title: "Since", cell: ({ started_at }) => <Ago at={started_at} /> },
	{ title: "Last seen", cell: ({ heartbeat_at }) => <Ago at={heartbeat_at} /> },
	{
		title: "Clock",
		cell: ({ clock_offset: offset }) => (offset === null ? <span class="faint">–</span> : `${offset > 0 ? "+" : ""}${offset.toFixed(3)} s`),
	},
];

export function toNodeHref(id: string): string {
	return toHref(toPath("/nodes/:id", { id }));
}

/** Lists the nodes of the service. Shows whether the node that answers the request is ready. */
export function Page() {
	const nodes = useRepeated(
		useResource(() => client.nodes.list(), []),
		every,
	);
	return (
		<>
			<div class="page-head">
				<h1>Nodes</h1>
			</div>
			<Readiness />
			<Loaded resource={nodes}>{({ items }) => <DataTable label="Nodes" columns={columns} rows={items} toKey={({ id }) => id} />}</Loaded>
		</>
	);
}

function Readiness() {
	const readiness = useRepeated(
		useResource((signal) => client.nodes.readiness({ signal }), []),
		every,
	);
	return (
		<Loaded resource={readiness}>
			{({ ready, problem = "not ready", warnings }) => (
				<p role="status">
					The node that answers you:{" "}
					{ready ? <StatusBadge status="ready" /> : <span class="bad-text">{escapeControlCharacters(problem)}</span>}
					{warnings.includes("clock") && <span class="bad-text"> Its clock differs from that of the storage.</span>}
				</p>
			)}
		</Loaded>
	);
}
