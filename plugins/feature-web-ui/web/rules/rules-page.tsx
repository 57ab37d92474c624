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
import * as common from "../texts/common.ts";
import * as texts from "../texts/rules.ts";

const pageSize = 50;
const filters = ["pack", "trigger", "action"] as const;

const columns: readonly Column<RuleRecord>[] = [
	{
		title: common.state,
		cell: ({ enabled, problems }) => (
			<span title={problems?.join("\n")}>
				<StatusBadge status={problems === undefined ? (enabled ? "enabled" : "disabled") : "broken"} />
			</span>
		),
	},
	{
		title: common.rule,
		class: "wide",
		cell: ({ ref }) => (
			<a class="row-link" href={toHref(toPath("/rules/:ref", { ref }))}>
				{escapeControlCharacters(ref)}
			</a>
		),
	},
	{
		title: common.trigger,
		class: "item-name",
		cell: ({ trigger: { title, type } }) => (
			<span title={escapeControlCharacters(title ?? type)}>{escapeControlCharacters(title ?? type)}</span>
		),
	},
	{ title: common.action, cell: ({ action }) => escapeControlCharacters(action.ref) },
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
				<h1>{common.rules}</h1>
			</div>
			<FilterBar
				filters={[
					{ name: "state", label: common.state, kind: "choice", values: ["enabled", "disabled"] },
					{ name: "pack", label: common.pack, kind: "text" },
					{ name: "trigger", label: common.trigger, kind: "text", hint: common.triggerHint },
					{ name: "action", label: common.action, kind: "text", hint: common.actionHint },
				]}
			/>
			<Loaded resource={rules}>
				{({ items, total, hasMore }) =>
					items.length === 0 ? (
						<NoRules isFiltered={isFiltered} />
					) : (
						<>
							<DataTable label={common.rules} columns={columns} rows={items} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
						</>
					)
				}
			</Loaded>
		</>
	);
}

function NoRules({ isFiltered }: { readonly isFiltered: boolean }) {
	if (isFiltered) return <Empty title={texts.noneFound} step={common.filterStep} />;
	return <Empty title={texts.noneYet} step={texts.noneYetStep} />;
}
