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
import * as common from "../texts/common.ts";
import * as texts from "../texts/events.ts";

const pageSize = 50;
const names = ["status", "trigger", "trigger_type"] as const;

const columns: readonly Column<TriggerInstanceRecord>[] = [
	{ title: common.status, cell: ({ status }) => <StatusBadge status={status} /> },
	{
		title: common.trigger,
		class: "wide",
		cell: ({ id, trigger, trigger_title }) => (
			<a class="row-link" href={toEventHref(id)} title={escapeControlCharacters(trigger)}>
				{escapeControlCharacters(trigger_title ?? trigger)}
			</a>
		),
	},
	{ title: common.type, cell: ({ trigger_type }) => escapeControlCharacters(trigger_type) },
	{ title: common.time, cell: ({ occurrence_time }) => <Ago at={occurrence_time} /> },
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
					{ name: "status", label: common.status, kind: "choice", values: ["pending", "processing", "processed", "processing_failed"] },
					{ name: "trigger", label: common.trigger, kind: "text", hint: common.triggerHint },
					{ name: "trigger_type", label: common.type, kind: "text", hint: texts.typeHint },
				]}
			/>
			<Loaded resource={events}>
				{({ items, total, hasMore }) =>
					items.length === 0 ? (
						<Empty title={texts.noEvents} step={texts.noEventsStep} />
					) : (
						<>
							<DataTable label={common.events} columns={columns} rows={items} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={items.length} total={total} hasMore={hasMore} />
						</>
					)
				}
			</Loaded>
		</>
	);
}
