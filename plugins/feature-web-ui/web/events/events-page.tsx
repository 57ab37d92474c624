import { Fragment } from "preact";
import { escapeControlCharacters, type TimerRecord, type WebhookRecord } from "../../../_shipped/client.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client, toApiHref } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { type PageTab, PageTabs } from "../parts/page-tabs.tsx";
import { Ago, toLocal } from "../parts/time.tsx";
import { Deliveries } from "./deliveries.tsx";
import { EventList } from "./event-list.tsx";
import { SensorList } from "./sensor-list.tsx";
import { TriggerTypeList } from "./trigger-type-list.tsx";

const columns: readonly Column<TimerRecord>[] = [
	{
		title: "Timer",
		class: "item-name",
		cell: ({ ref, title }) => (
			<a href={toHref("/events/latest", { trigger: ref })} title={escapeControlCharacters(`${title} (${ref})`)}>
				{escapeControlCharacters(title)}
			</a>
		),
	},
	{ title: "Rules", class: "wide", cell: (source) => <RuleLinks source={source} /> },
	{ title: "Fired last", cell: ({ last_fired_at }) => <Ago at={last_fired_at ?? undefined} /> },
	{ title: "Fires next", cell: ({ next_fire_at }) => (next_fire_at === null ? "never, or no rule is enabled" : toLocal(next_fire_at)) },
];

/** Rules of a timer or a webhook that its row names. */
const maxRuleLinks = 2;

/** Links to the rules that use a timer or a webhook. */
function RuleLinks({ source: { ref: trigger, rules } }: { readonly source: Pick<TimerRecord, "ref" | "rules"> }) {
	return (
		<>
			{rules.slice(0, maxRuleLinks).map((ref, index) => (
				<Fragment key={ref}>
					{index > 0 && ", "}
					<a href={toHref(toPath("/rules/:ref", { ref }))}>{escapeControlCharacters(ref)}</a>
				</Fragment>
			))}
			{rules.length > maxRuleLinks && (
				<>
					{" and "}
					<a href={toHref("/rules", { trigger })}>{rules.length - maxRuleLinks} more</a>
				</>
			)}
		</>
	);
}

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

const views: readonly PageTab[] = [
	{ name: "latest", title: "Events", permission: "trigger_instance_list", Shown: EventList },
	{ name: "webhooks", title: "Webhooks", permission: "webhook_list", Shown: WebhookList },
	{ name: "deliveries", title: "Deliveries", permission: "webhook_list", Shown: Deliveries },
	{ name: "timers", title: "Timers", permission: "timer_list", Shown: TimerList },
	{ name: "sensors", title: "Sensors", permission: "sensor_type_list", Shown: SensorList },
	{ name: "triggers", title: "Trigger types", permission: "trigger_type_list", Shown: TriggerTypeList },
];

/** Shows events and their sources: trigger types, sensors, timers and webhooks. */
export function Page({ values: { view = "" } }: PageProps) {
	return (
		<>
			<div class="page-head">
				<h1>Events</h1>
			</div>
			<PageTabs
				label="What happens, and where"
				views={views}
				chosen={view}
				toViewHref={(name) => toHref(toPath("/events/:view", { view: name }))}
				refusal="You may see neither events nor where they come from."
			/>
		</>
	);
}

const webhookColumns: readonly Column<WebhookRecord>[] = [
	{ title: "Address", class: "wide", cell: (hook) => <code>{escapeControlCharacters(toApiHref(`/webhooks/${toUrl(hook)}`))}</code> },
	{ title: "Rules", cell: (source) => <RuleLinks source={source} /> },
	{ title: "Deliveries", cell: (hook) => <a href={toHref("/events/deliveries", { url: toUrl(hook) })}>Deliveries</a> },
];

/** Lists the webhooks: URLs to which external systems can post. */
function WebhookList() {
	const hooks = useResource(() => client.webhooks.list(), []);
	return (
		<Loaded resource={hooks}>
			{({ items }) =>
				items.length === 0 ? (
					<Empty title="No rule has registered a webhook">
						<p>
							A rule with the trigger <code>core.svc.webhook</code> and a <code>url</code> registers one.
						</p>
					</Empty>
				) : (
					<DataTable label="Webhooks" columns={webhookColumns} rows={items} toKey={({ id }) => id} />
				)
			}
		</Loaded>
	);
}

function toUrl({ parameters }: WebhookRecord): string {
	return String(parameters["url"] ?? "");
}
