import { stringifyJson } from "../../contract/index.ts";
import { toSeenLine } from "../../contract/unseen-text.ts";
import type { TimerRecord } from "../../features/clients.ts";
import { toHref } from "../kit/address.ts";
import { useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Ago, toLocal } from "../parts/time.tsx";

const columns: readonly Column<TimerRecord>[] = [
	{ title: "Timer", class: "wide", cell: ({ ref }) => <a href={toHref("/events/latest", { trigger: ref })}>{toSeenLine(ref)}</a> },
	{ title: "Type", cell: ({ type }) => toSeenLine(type) },
	{ title: "With", cell: ({ parameters }) => <code>{toSeenLine(stringifyJson(parameters))}</code> },
	{ title: "Fired last", cell: ({ last_fired_at }) => <Ago at={last_fired_at ?? undefined} /> },
	{ title: "Fires next", cell: ({ next_fire_at }) => (next_fire_at === null ? "never, or no rule is enabled" : toLocal(next_fire_at)) },
];

/** What fires at its time. */
export function TimerList() {
	const timers = useResource(() => client.timers.list(), []);
	return (
		<Loaded resource={timers}>
			{({ items }) =>
				items.length === 0 ? (
					<Empty title="No rule has a timer">
						<p>
							A rule with a trigger such as <code>core.svc.IntervalTimer</code> has one.
						</p>
					</Empty>
				) : (
					<DataTable label="Timers" columns={columns} rows={items} toKey={({ id }) => id} />
				)
			}
		</Loaded>
	);
}
