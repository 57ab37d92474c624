import { escapeControlCharacters, type RuleRecord } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";

const pageSize = 50;
const filters = ["pack", "trigger", "action"] as const;

const columns: readonly Column<RuleRecord>[] = [
	{
		title: "State",
		cell: ({ enabled, problems }) => (
			<span title={problems?.join("\n")}>
				<StatusBadge status={problems === undefined ? (enabled ? "enabled" : "disabled") : "broken"} />
			</span>
		),
	},
	{
		title: "Rule",
		class: "wide",
		cell: ({ ref }) => (
			<a class="row-link" href={toHref(toPath("/rules/:ref", { ref }))}>
				{escapeControlCharacters(ref)}
			</a>
		),
	},
	{
		title: "When",
		class: "item-name",
		cell: ({ trigger: { title, type } }) => (
			<span title={escapeControlCharacters(title ?? type)}>{escapeControlCharacters(title ?? type)}</span>
		),
	},
	{ title: "Then", cell: ({ action }) => escapeControlCharacters(action.ref) },
];

export function Page() {
	const state = addressBar.query("state");
	const query = {
		...Object.fromEntries(filters.map((name) => [name, addressBar.query(name) || undefined])),
		...(state !== "" && { enabled: state === "enabled" }),
		...toPaging(pageSize),
	};
	const rules = useResource(() => client.rules.list(query), [JSON.stringify(query)]);
	const isFiltered = ["state", "page", ...filters].some((name) => addressBar.query(name) !== "");
	return (
		<>
			<div class="page-head">
				<h1>Rules</h1>
			</div>
			<FilterBar
				filters={[
					{ name: "state", label: "State", kind: "choice", values: ["enabled", "disabled"] },
					{ name: "pack", label: "Pack", kind: "text" },
					{ name: "trigger", label: "Trigger", kind: "text", hint: "pack.trigger" },
					{ name: "action", label: "Action", kind: "text", hint: "pack.action" },
				]}
			/>
			<Loaded resource={rules}>
				{({ items, total, hasMore }) =>
					items.length === 0 ? (
						<NoRules isFiltered={isFiltered} />
					) : (
						<>
							<DataTable label="Rules" columns={columns} rows={items} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
						</>
					)
				}
			</Loaded>
		</>
	);
}

function NoRules({ isFiltered }: { readonly isFiltered: boolean }) {
	if (isFiltered) return <Empty title="No rule is like this">Change the filters, or clear them.</Empty>;
	return (
		<Empty title="There are no rules yet">
			<p>Write one into a file, what happens and what is done then, and store it:</p>
			<p>
				<code>svc rule create rule.yaml</code>
			</p>
		</Empty>
	);
}
