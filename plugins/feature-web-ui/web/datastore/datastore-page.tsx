import { useSignal } from "@preact/signals";
import { escapeControlCharacters, type KeyRecord } from "../../../_shipped/client.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Expiry } from "../parts/expiry.tsx";
import { type Filter, FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { Tabs } from "../parts/tabs.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/datastore.ts";
import { mayDo, type ScopeName, toItemHref } from "./item-address.ts";
import { ItemDialog } from "./item-dialog.tsx";

const pageSize = 50;
/** Characters of a value that the list shows. */
const maxShown = 200;

const columns: readonly Column<KeyRecord>[] = [
	{
		title: common.name,
		class: "item-name",
		cell: (item) => (
			<a class="row-link" href={toItemHref(item)}>
				{escapeControlCharacters(item.name)}
			</a>
		),
	},
	{ title: texts.value, class: "wide mono", cell: ({ value }) => escapeControlCharacters(value.slice(0, maxShown)) },
	{ title: texts.secret, cell: ({ secret }) => secret && texts.isSecret },
	{ title: common.description, class: "item-name", cell: ({ description = "" }) => escapeControlCharacters(description) },
	{ title: common.expires, cell: ({ expire_timestamp }) => expire_timestamp !== undefined && <Expiry at={expire_timestamp} /> },
];

/** Lists the items of the datastore: those of the system scope, or those of the user. */
export function Page({ values: { scope = "" } }: PageProps) {
	const offered: readonly ScopeName[] = session.may("key_value_pair_list") ? ["system", "user"] : ["user"];
	const current = offered.find((name) => name === scope) ?? offered[0] ?? "user";
	const tabs = offered.map((name) => ({ name, title: texts.scopes[name], href: toHref(toPath("/datastore/:scope", { scope: name })) }));
	const isMaking = useSignal(false);
	const user = current === "user" ? addressBar.query("user") || undefined : undefined;
	return (
		<>
			<div class="page-head">
				<h1>{common.datastore}</h1>
				{mayDo("set", current) && (
					<button type="button" class="primary" onClick={() => (isMaking.value = true)}>
						{common.createOne}
					</button>
				)}
			</div>
			<Tabs label={texts.tabs} tabs={tabs} current={current} />
			<Items key={current} scope={current} user={user} />
			{isMaking.value && <ItemDialog scope={current} user={user} onClose={() => (isMaking.value = false)} />}
		</>
	);
}

function Items({ scope, user }: { readonly scope: ScopeName; readonly user: string | undefined }) {
	const query = { scope, user, prefix: addressBar.query("prefix") || undefined, sort: "name", ...toPaging(pageSize) };
	const items = useResource(() => client.keys.list(query), [JSON.stringify(query)]);
	// If access control is off, the service refuses requests for the items of another user.
	const mayNameOthers = session.may("admin") && session.user.value?.rbac.enabled === true;
	const isFiltered = query.prefix !== undefined || query.offset > 0;
	const filters: readonly Filter[] = [
		{ name: "prefix", label: texts.prefix, kind: "text" },
		...(scope === "user" && mayNameOthers ? [{ name: "user", label: common.owner, kind: "text", hint: texts.ownHint } as const] : []),
	];
	return (
		<>
			<FilterBar filters={filters} />
			<Loaded resource={items}>
				{({ items: found }) =>
					found.length === 0 ? (
						<Empty title={isFiltered ? texts.noneFound : texts.noneYet} step={isFiltered ? common.filterStep : texts.noneYetStep} />
					) : (
						<>
							<DataTable label={texts.items} columns={columns} rows={found} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={found.length} total={undefined} />
						</>
					)
				}
			</Loaded>
		</>
	);
}
