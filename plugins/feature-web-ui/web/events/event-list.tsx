import { escapeControlCharacters, type TriggerInstanceRecord } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";

const pageSize = 50;
const names = ["status", "trigger", "trigger_type"] as const;

const columns: readonly Column<TriggerInstanceRecord>[] = [
	{ title: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
	{
		title: "Trigger",
		class: "wide",
		cell: ({ id, trigger, trigger_title }) => (
			<a class="row-link" href={toEventHref(id)} title={escapeControlCharacters(trigger)}>
				{escapeControlCharacters(trigger_title ?? trigger)}
			</a>
		),
	},
	{ title: "Type", cell: ({ trigger_type }) => escapeControlCharacters(trigger_type) },
	{ title: "When", cell: ({ occurrence_time }) => <Ago at={occurrence_time} /> },
];

export function toEventHref(id: string): string {
	return toHref(toPath("/events/latest/:id", { id }));
}

/** Lists events (trigger instances), the newest first. */
export function EventList() {
	const given = Object.fromEntries(names.map((name) => [name, addressBar.query(name) || undefined]));
	const query = { ...given, sort: "-timestamp", exclude_attributes: "payload", ...toPaging(pageSize) };
	const events = useResource(() => client.triggers.instances.list(query), [JSON.stringify(query)], {
		isTouched: ({ name }) => name === "svc.execution__create",
	});
	return (
		<>
			<FilterBar
				filters={[
					{ name: "status", label: "Status", kind: "choice", values: ["pending", "processing", "processed", "processing_failed"] },
					{ name: "trigger", label: "Trigger", kind: "text", hint: "pack.trigger" },
					{ name: "trigger_type", label: "Type", kind: "text", hint: "pack.type" },
				]}
			/>
			<Loaded resource={events}>
				{({ items, total, hasMore }) =>
					items.length === 0 ? (
						<Empty title="No event like this is stored">
							<p>Events come from webhooks, timers and sensors that rules name, and from the ends of executions.</p>
						</Empty>
					) : (
						<>
							<DataTable label="Events" columns={columns} rows={items} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
						</>
					)
				}
			</Loaded>
		</>
	);
}
