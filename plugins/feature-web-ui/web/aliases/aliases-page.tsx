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
import * as texts from "../texts/aliases.ts";
import * as common from "../texts/common.ts";
import { toDisplay } from "./alias-format.ts";

const pageSize = 50;

const columns: readonly Column<AliasRecord>[] = [
	{ title: common.state, cell: ({ enabled }) => <StatusBadge status={enabled ? "enabled" : "disabled"} /> },
	{
		title: common.alias,
		cell: ({ ref }) => (
			<a class="row-link" href={toHref(toPath("/aliases/:ref", { ref }))}>
				{escapeControlCharacters(ref)}
			</a>
		),
	},
	{ title: texts.formats, class: "wide mono", cell: ({ formats }) => formats.map(toDisplay).join(" · ") },
	{ title: common.action, cell: ({ action_ref }) => escapeControlCharacters(action_ref) },
];

/** Lists the aliases: the chat commands that run actions. */
export function Page() {
	const query = { pack: addressBar.query("pack") || undefined, ...toPaging(pageSize) };
	const aliases = useResource(() => client.aliases.list(query), [JSON.stringify(query)]);
	return (
		<>
			<div class="page-head">
				<h1>{common.aliases}</h1>
			</div>
			<FilterBar filters={[{ name: "pack", label: common.pack, kind: "text" }]} />
			<Loaded resource={aliases}>
				{({ items, total, hasMore }) =>
					items.length === 0 ? (
						<Empty
							title={query.pack === undefined ? texts.none : texts.noneFound}
							step={query.pack === undefined ? texts.noneStep : common.filterStep}
						/>
					) : (
						<>
							<DataTable label={common.aliases} columns={columns} rows={items} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
						</>
					)
				}
			</Loaded>
		</>
	);
}
