import { type AuditEntryRecord, escapeControlCharacters, type ListQuery } from "../../../_shipped/client.ts";
import { toTime } from "../kit/clock.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { type Filter, FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import { ChainState } from "./chain-state.tsx";

const pageSize = 50;

/** Filters that have the same name in the API. */
const names = ["user", "kind", "ref", "verb", "outcome"] as const;

const filters: readonly Filter[] = [
	{ name: "user", label: "Who", kind: "text", hint: "a user" },
	{ name: "verb", label: "Did", kind: "text", values: ["create", "update", "delete", "sign_in", "sign_out", "request"] },
	{ name: "kind", label: "Kind", kind: "text", values: ["action", "api_key", "key_value", "pack", "policy", "rule", "token", "user"] },
	{ name: "ref", label: "Name", kind: "text", hint: "pack.name" },
	{ name: "outcome", label: "Outcome", kind: "choice", values: ["done", "begun", "refused"] },
	{ name: "since", label: "After", kind: "time" },
	{ name: "until", label: "Before", kind: "time" },
];

const columns: readonly Column<AuditEntryRecord>[] = [
	{ title: "Number", class: "right", cell: ({ number }) => number },
	{ title: "When", cell: ({ timestamp }) => <Ago at={timestamp} /> },
	{ title: "Who", cell: ({ user }) => (user === "" ? <span class="faint">unknown</span> : escapeControlCharacters(user)) },
	{ title: "Outcome", cell: ({ outcome }) => <StatusBadge status={outcome} /> },
	{ title: "Did", cell: ({ verb }) => escapeControlCharacters(verb) },
	{ title: "What", class: "wide", cell: (entry) => <What entry={entry} /> },
	{ title: "From", cell: ({ address }) => escapeControlCharacters(address ?? "–") },
	{ title: "With", class: "mono", cell: ({ credential }) => escapeControlCharacters(credential) },
];

/** Lists audit entries, the newest first, and shows whether the audit chain is intact. */
export function Page() {
	const query = toQuery();
	const entries = useResource((signal) => client.audit.list(query, { signal }), [JSON.stringify(query)]);
	return (
		<>
			<div class="page-head">
				<h1>Audit</h1>
			</div>
			<ChainState />
			<FilterBar filters={filters} />
			<Loaded resource={entries}>
				{({ items, total, hasMore }) =>
					items.length === 0 ? (
						<Empty title="No entry is like this" />
					) : (
						<>
							<DataTable label="Entries" columns={columns} rows={items} toKey={({ number }) => String(number)} isFocusable />
							<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
						</>
					)
				}
			</Loaded>
		</>
	);
}

/** Shows the changed record, or the request if no record was changed, together with the changed fields or the reason of a failure. */
function What({ entry: { record_kind, ref, request, fields, detail } }: { readonly entry: AuditEntryRecord }) {
	const changed = record_kind === null ? request : record_kind;
	return (
		<>
			{escapeControlCharacters(changed)} {ref !== null && <span class="mono">{escapeControlCharacters(ref)}</span>}
			{fields.length > 0 && <span class="faint"> {escapeControlCharacters(fields.join(", "))}</span>}
			{detail !== null && <div class="faint">{escapeControlCharacters(detail)}</div>}
		</>
	);
}

/** Converts the filters of the address to a query of the API. */
function toQuery(): ListQuery {
	return {
		...Object.fromEntries(names.map((name) => [name, addressBar.query(name) || undefined])),
		timestamp_gt: toTime(addressBar.query("since")),
		timestamp_lt: toTime(addressBar.query("until")),
		...toPaging(pageSize),
	};
}
