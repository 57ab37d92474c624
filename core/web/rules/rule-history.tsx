import { toSeenLines } from "../../contract/unseen-text.ts";
import type { RuleEnforcementRecord } from "../../features/clients.ts";
import { addressBar, toHref, toPath } from "../kit/address.ts";
import { useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import { toRunHref } from "../runs/run-address.ts";

const pageSize = 50;

/** What a rule has done, the newest first. */
export function RuleHistory({ rule }: { readonly rule: string }) {
	const query = { rule_ref: rule, status: addressBar.query("status") || undefined, ...toPaging(pageSize) };
	const enforcements = useResource(() => client.rules.enforcements(query), [JSON.stringify(query)], {
		isTouched: ({ name }) => name === "svc.execution__create",
	});
	return (
		<>
			<FilterBar filters={[{ name: "status", label: "Status", kind: "choice", values: ["succeeded", "failed"] }]} />
			<Loaded resource={enforcements}>
				{({ items, total, hasMore }) =>
					items.length === 0 ? (
						<Empty title="It has done nothing that is on record">
							<p>It acts when its trigger happens, its criteria hold, and it is enabled. Test it against an event to see why not.</p>
						</Empty>
					) : (
						<>
							<DataTable label="What it has done" columns={toColumns(rule)} rows={items} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
						</>
					)
				}
			</Loaded>
		</>
	);
}

function toColumns(ref: string): readonly Column<RuleEnforcementRecord>[] {
	return [
		{ title: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
		{ title: "When", cell: ({ enforced_at }) => <Ago at={enforced_at} /> },
		{
			title: "What came of it",
			class: "wide",
			cell: ({ execution_id, failure_reason }) =>
				execution_id === undefined ? toSeenLines(failure_reason ?? "nothing") : <a href={toRunHref(execution_id)}>Run {execution_id}</a>,
		},
		{
			title: "Event",
			cell: ({ trigger_instance_id: event }) => <a href={toHref(toPath("/rules/:ref", { ref }), { view: "test", event })}>Test with it</a>,
		},
	];
}
