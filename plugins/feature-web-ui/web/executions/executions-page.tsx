import { useSignal } from "@preact/signals";
import type { ListQuery } from "../../../_shipped/client.ts";
import { toTime } from "../kit/clock.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { Empty } from "../parts/empty.tsx";
import { type Filter, FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/execution-list.ts";
import { TimeLine } from "../timeline/time-line.tsx";
import { BulkActions } from "./bulk-actions.tsx";
import { toExecutionHref } from "./execution-address.ts";
import { ExecutionTable, executionAttributes } from "./execution-table.tsx";
import { NothingYet } from "./nothing-yet.tsx";
import { SavedViews } from "./saved-views.tsx";

const pageSize = 50;
const statuses = [
	...["requested", "scheduled", "delayed", "running", "succeeded", "failed", "timeout", "abandoned"],
	...["canceling", "canceled", "pending", "pausing", "paused", "resuming"],
];

/** Filters that have the same name in the API. */
const filterNames = ["status", "action", "user", "rule", "trigger", "trigger_type", "runner"] as const;

/** Lists executions and updates the list as they start and end. */
export function Page() {
	const query = toQuery();
	const isTimeLine = showsTimeLine();
	const key = JSON.stringify(query);
	const runs = useResource((signal) => client.executions.list(query, { signal }), [key], {
		isTouched: ({ name }) => name.startsWith("svc.execution__"),
	});
	const values = useResource(
		async (signal) => (session.may("execution_views_filters_list") ? client.executions.filterValues({ signal }) : {}),
		[],
	);
	const chosen = useSignal<ReadonlySet<string>>(new Set());
	return (
		<>
			<div class="page-head">
				<h1>{common.executions}</h1>
			</div>
			<FilterBar filters={toFilters(values.value.value ?? {})} />
			<Loaded resource={runs}>
				{({ items, total, hasMore }) => (
					<>
						<div class="run-bar">
							<SavedViews />
							<a
								href={toHref("/history", { ...Object.fromEntries(addressBar.current.value.query), show: isTimeLine ? undefined : "time" })}
							>
								{isTimeLine ? texts.asTable : texts.asTimeline}
							</a>
							<BulkActions
								runs={items.filter(({ id }) => chosen.value.has(id))}
								onDone={() => {
									chosen.value = new Set();
									void runs.reload();
								}}
							/>
						</div>
						{items.length === 0 ? (
							<NoExecutions isFiltered={isFiltered()} />
						) : (
							<>
								{isTimeLine ? (
									<TimeLine
										label={texts.timeline}
										runs={items}
										toName={({ action }) => action.ref}
										toHref={({ id }) => toExecutionHref(id)}
									/>
								) : (
									<ExecutionTable runs={items} chosen={chosen.value} onChoose={(next) => (chosen.value = next)} />
								)}
								<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
							</>
						)}
					</>
				)}
			</Loaded>
		</>
	);
}

function NoExecutions({ isFiltered }: { readonly isFiltered: boolean }) {
	if (isFiltered) return <Empty title={texts.noneFound} step={common.filterStep} />;
	return <NothingYet />;
}

function toFilters(values: Readonly<Record<string, readonly (string | null)[]>>): readonly Filter[] {
	const known = (name: string) => (values[name] ?? []).filter((value): value is string => value !== null);
	return [
		{ name: "status", label: common.status, kind: "choice", values: statuses },
		{ name: "action", label: common.action, kind: "text", values: known("action"), hint: common.actionHint },
		{ name: "user", label: common.user, kind: "text", values: known("user") },
		{ name: "rule", label: common.rule, kind: "text", values: known("rule") },
		{ name: "trigger", label: common.trigger, kind: "text", values: known("trigger") },
		{ name: "trigger_type", label: common.triggerType, kind: "text", values: known("trigger_type") },
		{ name: "runner", label: common.runner, kind: "text", values: known("runner") },
		{ name: "after", label: texts.startedAfter, kind: "time" },
		{ name: "before", label: texts.startedBefore, kind: "time" },
		{ name: "all", label: texts.nested, kind: "choice", values: [texts.nestedShown], none: texts.nestedHidden },
	];
}

function isFiltered(): boolean {
	return [...filterNames, "after", "before", "page"].some((name) => addressBar.query(name) !== "");
}

function showsTimeLine(): boolean {
	return addressBar.query("show") === "time";
}

/** Converts the filters of the address to a query of the API. */
function toQuery(): ListQuery {
	const given = filterNames.map((name) => [name, addressBar.query(name) || undefined] as const);
	return {
		...Object.fromEntries(given),
		timestamp_gt: toTime(addressBar.query("after")),
		timestamp_lt: toTime(addressBar.query("before")),
		sort_desc: "timestamp",
		parent: addressBar.query("all") === "" ? "null" : undefined,
		include_attributes: showsTimeLine() ? `${executionAttributes},log` : executionAttributes,
		...toPaging(pageSize),
	};
}
