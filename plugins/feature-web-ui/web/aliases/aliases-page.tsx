import { type AliasRecord, escapeControlCharacters } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { toDisplay } from "./alias-format.ts";

const pageSize = 50;

const columns: readonly Column<AliasRecord>[] = [
	{ title: "State", cell: ({ enabled }) => <StatusBadge status={enabled ? "enabled" : "disabled"} /> },
	{
		title: "Alias",
		cell: ({ ref }) => (
			<a class="row-link" href={toHref(toPath("/aliases/:ref", { ref }))}>
				{escapeControlCharacters(ref)}
			</a>
		),
	},
	{ title: "What is written", class: "wide mono", cell: ({ formats }) => formats.map(toDisplay).join(" · ") },
	{ title: "Runs", cell: ({ action_ref }) => escapeControlCharacters(action_ref) },
];

/** Lists the aliases: the chat commands that run actions. */
export function Page() {
	const query = { pack: addressBar.query("pack") || undefined, ...toPaging(pageSize) };
	const aliases = useResource(() => client.aliases.list(query), [JSON.stringify(query)]);
	return (
		<>
			<div class="page-head">
				<h1>Aliases</h1>
			</div>
			<FilterBar filters={[{ name: "pack", label: "Pack", kind: "text" }]} />
			<Loaded resource={aliases}>
				{({ items, total, hasMore }) =>
					items.length === 0 ? (
						<Empty title={query.pack === undefined ? "There are no aliases" : "No alias is like this"}>
							<p>Aliases come with packs: they say what people write in a chat to run an action.</p>
						</Empty>
					) : (
						<>
							<DataTable label="Aliases" columns={columns} rows={items} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
						</>
					)
				}
			</Loaded>
		</>
	);
}
