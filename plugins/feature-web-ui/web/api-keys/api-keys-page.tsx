import { useSignal } from "@preact/signals";
import { stringifyJson } from "../../../../core/contract/index.ts";
import { type ApiKeyRecord, escapeControlCharacters } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Expiry } from "../parts/expiry.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import * as texts from "../texts/api-keys.ts";
import * as common from "../texts/common.ts";
import { NewKey } from "./new-key.tsx";

const pageSize = 50;
const maxShown = 200;

const columns: readonly Column<ApiKeyRecord>[] = [
	{ title: common.state, cell: ({ enabled }) => <StatusBadge status={enabled ? "enabled" : "disabled"} /> },
	{
		title: texts.key,
		cell: ({ id }) => (
			<a class="row-link mono" href={toHref(toPath("/apikeys/:id", { id }))}>
				{id}
			</a>
		),
	},
	{ title: common.owner, cell: ({ user }) => escapeControlCharacters(user) },
	{
		title: texts.metadata,
		class: "wide mono",
		cell: ({ metadata }) => escapeControlCharacters(stringifyJson(metadata).slice(0, maxShown)),
	},
	{ title: texts.scopes, class: "right", cell: ({ scopes }) => (scopes === null ? texts.allScopes : scopes.length) },
	{ title: texts.lastUsed, cell: ({ last_used_at }) => <Ago at={last_used_at ?? undefined} /> },
	{ title: common.expires, cell: ({ expires_at }) => (expires_at === null ? common.never : <Expiry at={expires_at} />) },
];

/** Lists API keys, by default those of the user. Users with the required permission see the keys of all users. */
export function Page() {
	const isMaking = useSignal(false);
	return (
		<>
			<div class="page-head">
				<h1>{common.apiKeys}</h1>
				{session.may("api_key_create") && (
					<button type="button" class="primary" onClick={() => (isMaking.value = true)}>
						{common.createOne}
					</button>
				)}
			</div>
			{session.may("api_key_list") ? <Keys /> : <p>{texts.mayNotList}</p>}
			{isMaking.value && <NewKey onClose={() => (isMaking.value = false)} />}
		</>
	);
}

function Keys() {
	const mine = session.user.value?.username ?? "";
	const query = { user: addressBar.query("user") || undefined, ...toPaging(pageSize) };
	const keys = useResource((signal) => client.apiKeys.list(query, { signal }), [stringifyJson(query)]);
	return (
		<>
			<FilterBar filters={[{ name: "user", label: common.owner, kind: "text", values: [mine], hint: texts.everyOwner }]} />
			<Loaded resource={keys}>
				{({ items, total, hasMore }) =>
					items.length === 0 ? (
						<Empty title={texts.noneFound} step={texts.noneFoundStep} />
					) : (
						<>
							<DataTable label={common.apiKeys} columns={columns} rows={items} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
						</>
					)
				}
			</Loaded>
		</>
	);
}
