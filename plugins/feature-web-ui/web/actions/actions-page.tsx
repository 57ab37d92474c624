import { type ActionRecord, escapeControlCharacters, type ListPage } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import * as texts from "../texts/actions.ts";
import * as common from "../texts/common.ts";

const pageSize = 50;
/** Maximum number of packs that are suggested. */
const maxPacks = 100;
const shown = "id,ref,pack,name,description,runner_type,enabled";

const columns: readonly Column<ActionRecord>[] = [
	{
		title: common.action,
		cell: ({ ref }) => (
			<a class="row-link" href={toHref(toPath("/actions/:ref", { ref }))}>
				{escapeControlCharacters(ref)}
			</a>
		),
	},
	{ title: common.description, class: "wide", cell: ({ description }) => escapeControlCharacters(description) },
	{ title: common.runner, cell: ({ runner_type }) => escapeControlCharacters(runner_type) },
	{ title: common.state, cell: ({ enabled }) => <StatusBadge status={enabled ? "enabled" : "disabled"} /> },
];

/** Lists the actions; they can be filtered by pack and by search words. */
export function Page() {
	return (
		<>
			<div class="page-head">
				<h1>{common.actions}</h1>
			</div>
			<PackFilters />
			<ActionList />
		</>
	);
}

/** Suggests the names of packs to users who may list packs. */
function PackFilters() {
	const packs = useResource(
		async () =>
			session.may("pack_list") ? (await client.packs.list({ include_attributes: "ref", limit: session.toLimit(maxPacks) })).items : [],
		[],
	);
	const refs = (packs.value.value ?? []).map(({ ref }) => ref);
	return (
		<FilterBar
			filters={[
				{ name: "q", label: common.search, kind: "text", hint: texts.searchHint },
				{ name: "pack", label: common.pack, kind: "text", values: refs },
			]}
		/>
	);
}

function ActionList() {
	const query = { pack: addressBar.query("pack") || undefined, ...toPaging(pageSize) };
	const words = addressBar.query("q").toLowerCase().split(/\s+/).filter(Boolean);
	const actions = useResource(
		(signal) => (words.length === 0 ? readPage(query, signal) : findActions(query, words, signal)),
		[JSON.stringify([query, words])],
	);
	const isFiltered = words.length > 0 || query.pack !== undefined || query.offset > 0;
	return (
		<Loaded resource={actions}>
			{({ items, total, hasMore }) =>
				items.length === 0 ? (
					<NoActions isFiltered={isFiltered} />
				) : (
					<>
						<DataTable label={common.actions} columns={columns} rows={items} toKey={({ id }) => id} />
						<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
					</>
				)
			}
		</Loaded>
	);
}

function NoActions({ isFiltered }: { readonly isFiltered: boolean }) {
	if (isFiltered) return <Empty title={texts.noneFound} step={texts.noneFoundStep} />;
	return <Empty title={texts.noneYet} step={texts.noneYetStep} />;
}

interface Query {
	readonly pack: string | undefined;
	readonly limit: number;
	readonly offset: number;
}

function readPage(query: Query, signal: AbortSignal): Promise<ListPage<ActionRecord>> {
	return client.actions.list({ include_attributes: shown, ...query }, { signal });
}

/**
 * Searches all actions for the words. The service cannot search by words, so the browser reads every action. It requests only the displayed
 * attributes.
 */
async function findActions({ pack, limit, offset }: Query, words: readonly string[], signal: AbortSignal): Promise<ListPage<ActionRecord>> {
	const { items } = await client.actions.list({ include_attributes: shown, pack }, { signal });
	const found = items.filter(({ ref, description, runner_type }) => {
		const text = `${ref} ${description} ${runner_type}`.toLowerCase();
		return words.every((word) => text.includes(word));
	});
	return { items: found.slice(offset, offset + limit), total: found.length, limit };
}
