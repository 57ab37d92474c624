import { toSeenLine } from "../../contract/unseen-text.ts";
import type { ActionRecord } from "../../features/clients.ts";
import { addressBar, toHref, toPath } from "../kit/address.ts";
import { useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";

const pageSize = 50;
const shown = "id,ref,pack,name,description,runner_type,enabled";

const columns: readonly Column<ActionRecord>[] = [
	{
		title: "Action",
		cell: ({ ref }) => (
			<a class="row-link" href={toHref(toPath("/actions/:ref", { ref }))}>
				{toSeenLine(ref)}
			</a>
		),
	},
	{ title: "What it does", class: "wide", cell: ({ description }) => toSeenLine(description) },
	{ title: "Runner", cell: ({ runner_type }) => toSeenLine(runner_type) },
	{ title: "State", cell: ({ enabled }) => <StatusBadge status={enabled ? "enabled" : "disabled"} /> },
];

/** What can be run, by pack and by words. */
export function Page() {
	const actions = useResource(async (signal) => (await client.actions.list({ include_attributes: shown }, { signal })).items, []);
	return (
		<>
			<div class="page-head">
				<h1>Actions</h1>
			</div>
			<Loaded resource={actions}>{(all) => <Actions all={all} />}</Loaded>
		</>
	);
}

function Actions({ all }: { readonly all: readonly ActionRecord[] }) {
	const pack = addressBar.query("pack");
	const words = addressBar.query("q").toLowerCase().split(/\s+/);
	const found = all.filter(
		(action) =>
			(pack === "" || action.pack === pack) &&
			words.every((word) => `${action.ref} ${action.description} ${action.runner_type}`.toLowerCase().includes(word)),
	);
	const { limit, offset } = toPaging(pageSize);
	const rows = found.slice(offset, offset + limit);
	return (
		<>
			<FilterBar
				filters={[
					{ name: "q", label: "Search", kind: "text", hint: "name or words" },
					{ name: "pack", label: "Pack", kind: "choice", values: [...new Set(all.map((action) => action.pack))] },
				]}
			/>
			{all.length === 0 && (
				<Empty title="There are no actions yet">
					<p>Install a pack, or put one into a directory of `packs` and register it:</p>
					<p>
						<code>svc pack install NAME</code>
					</p>
				</Empty>
			)}
			{all.length > 0 && found.length === 0 && (
				<Empty title="No action is like this">Search for something else, or clear the filters.</Empty>
			)}
			{found.length > 0 && (
				<>
					<DataTable label="Actions" columns={columns} rows={rows} toKey={({ id }) => id} />
					<Pager size={pageSize} shown={rows.length} total={found.length} />
				</>
			)}
		</>
	);
}
