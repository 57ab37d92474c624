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
import * as texts from "../texts/audit.ts";
import * as common from "../texts/common.ts";
import { ChainState } from "./chain-state.tsx";

const pageSize = 50;

/** Filters that have the same name in the API. */
const names = ["user", "kind", "ref", "verb", "outcome"] as const;

const filters: readonly Filter[] = [
	{ name: "user", label: common.user, kind: "text", hint: texts.userHint },
	{ name: "verb", label: texts.operation, kind: "text", values: ["create", "update", "delete", "sign_in", "sign_out", "request"] },
	{ name: "kind", label: texts.kind, kind: "text", values: ["action", "api_key", "key_value", "pack", "policy", "rule", "token", "user"] },
	{ name: "ref", label: common.name, kind: "text", hint: texts.nameHint },
	{ name: "outcome", label: texts.outcome, kind: "choice", values: ["done", "begun", "refused"] },
	{ name: "since", label: texts.after, kind: "time" },
	{ name: "until", label: texts.before, kind: "time" },
];

const columns: readonly Column<AuditEntryRecord>[] = [
	{ title: texts.number, class: "right", cell: ({ number }) => number },
	{ title: common.time, cell: ({ timestamp }) => <Ago at={timestamp} /> },
	{
		title: common.user,
		cell: ({ user }) => (user === "" ? <span class="faint">{texts.unknownUser}</span> : escapeControlCharacters(user)),
	},
	{ title: texts.outcome, cell: ({ outcome }) => <StatusBadge status={outcome} /> },
	{ title: texts.operation, cell: ({ verb }) => escapeControlCharacters(verb) },
	{ title: texts.subject, class: "wide", cell: (entry) => <What entry={entry} /> },
	{ title: texts.address, cell: ({ address }) => escapeControlCharacters(address ?? "–") },
	{ title: texts.credential, class: "mono", cell: ({ credential }) => escapeControlCharacters(credential) },
];

/** Lists audit entries, the newest first, and shows whether the audit chain is intact. */
export function Page() {
	const query = toQuery();
	const entries = useResource((signal) => client.audit.list(query, { signal }), [JSON.stringify(query)]);
	return (
		<>
			<div class="page-head">
				<h1>{common.audit}</h1>
			</div>
			<ChainState />
			<FilterBar filters={filters} />
			<Loaded resource={entries}>
				{({ items, total, hasMore }) =>
					items.length === 0 ? (
						<Empty title={texts.noneFound} step={common.filterStep} />
					) : (
						<>
							<DataTable label={texts.entries} columns={columns} rows={items} toKey={({ number }) => String(number)} isFocusable />
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
