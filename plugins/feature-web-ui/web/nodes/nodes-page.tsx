import { escapeControlCharacters, type NodeRecord } from "../../../_shipped/client.ts";
import { useRepeated, useResource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/nodes.ts";

const every = 5_000;

const columns: readonly Column<NodeRecord>[] = [
	{ title: common.state, cell: ({ state }) => <StatusBadge status={state} /> },
	{
		title: common.node,
		cell: ({ id, name }) => (
			<a class="row-link" href={toNodeHref(id)}>
				{escapeControlCharacters(name)}
			</a>
		),
	},
	{ title: common.roles, class: "wide", cell: ({ roles }) => roles.join(", ") },
	{ title: texts.running, class: "right", cell: ({ running }) => running },
	{ title: common.version, cell: ({ version }) => escapeControlCharacters(version) },
	{ title: common.started, cell: ({ started_at }) => <Ago at={started_at} /> },
	{ title: texts.lastSeen, cell: ({ heartbeat_at }) => <Ago at={heartbeat_at} /> },
	{
		title: texts.clockOffset,
		cell: ({ clock_offset: offset }) =>
			offset === null ? <span class="faint">–</span> : `${offset > 0 ? "+" : ""}${texts.seconds(offset)}`,
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
				<h1>{common.nodes}</h1>
			</div>
			<Readiness />
			<Loaded resource={nodes}>
				{({ items }) => <DataTable label={common.nodes} columns={columns} rows={items} toKey={({ id }) => id} />}
			</Loaded>
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
			{({ ready, problem = texts.notReady, warnings }) => (
				<p role="status">
					{texts.answeringNode} {ready ? <StatusBadge status="ready" /> : <span class="bad-text">{escapeControlCharacters(problem)}</span>}
					{warnings.includes("clock") && <span class="bad-text">{texts.clockDiffers}</span>}
				</p>
			)}
		</Loaded>
	);
}
