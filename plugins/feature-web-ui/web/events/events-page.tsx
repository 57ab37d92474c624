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
import * as common from "../texts/common.ts";
import * as texts from "../texts/events.ts";
import { Deliveries } from "./deliveries.tsx";
import { EventList } from "./event-list.tsx";
import { SensorList } from "./sensor-list.tsx";
import { TriggerTypeList } from "./trigger-type-list.tsx";

const columns: readonly Column<TimerRecord>[] = [
	{
		title: texts.timer,
		class: "item-name",
		cell: ({ ref, title }) => (
			<a href={toHref("/events/latest", { trigger: ref })} title={escapeControlCharacters(`${title} (${ref})`)}>
				{escapeControlCharacters(title)}
			</a>
		),
	},
	{ title: common.rules, class: "wide", cell: (source) => <RuleLinks source={source} /> },
	{ title: texts.lastFired, cell: ({ last_fired_at }) => <Ago at={last_fired_at ?? undefined} /> },
	{ title: texts.nextFired, cell: ({ next_fire_at }) => (next_fire_at === null ? texts.noNextFiring : toLocal(next_fire_at)) },
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
					{" "}
					<a href={toHref("/rules", { trigger })}>{common.andMore(rules.length - maxRuleLinks)}</a>
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
					<Empty title={texts.noTimers} step={texts.noTimersStep} />
				) : (
					<DataTable label={texts.timers} columns={columns} rows={items} toKey={({ id }) => id} />
				)
			}
		</Loaded>
	);
}

const views: readonly PageTab[] = [
	{ name: "latest", title: common.events, permission: "trigger_instance_list", Shown: EventList },
	{ name: "webhooks", title: texts.webhooks, permission: "webhook_list", Shown: WebhookList },
	{ name: "deliveries", title: texts.deliveries, permission: "webhook_list", Shown: Deliveries },
	{ name: "timers", title: texts.timers, permission: "timer_list", Shown: TimerList },
	{ name: "sensors", title: texts.sensors, permission: "sensor_type_list", Shown: SensorList },
	{ name: "triggers", title: texts.triggerTypes, permission: "trigger_type_list", Shown: TriggerTypeList },
];

/** Shows events and their sources: trigger types, sensors, timers and webhooks. */
export function Page({ values: { view = "" } }: PageProps) {
	return (
		<>
			<div class="page-head">
				<h1>{common.events}</h1>
			</div>
			<PageTabs
				label={texts.tabs}
				views={views}
				chosen={view}
				toViewHref={(name) => toHref(toPath("/events/:view", { view: name }))}
				refusal={texts.refusal}
			/>
		</>
	);
}

const webhookColumns: readonly Column<WebhookRecord>[] = [
	{ title: texts.address, class: "wide", cell: (hook) => <code>{escapeControlCharacters(toApiHref(`/webhooks/${toUrl(hook)}`))}</code> },
	{ title: common.rules, cell: (source) => <RuleLinks source={source} /> },
	{ title: texts.deliveries, cell: (hook) => <a href={toHref("/events/deliveries", { url: toUrl(hook) })}>{texts.deliveries}</a> },
];

/** Lists the webhooks: URLs to which external systems can post. */
function WebhookList() {
	const hooks = useResource(() => client.webhooks.list(), []);
	return (
		<Loaded resource={hooks}>
			{({ items }) =>
				items.length === 0 ? (
					<Empty title={texts.noWebhooks} step={texts.noWebhooksStep} />
				) : (
					<DataTable label={texts.webhooks} columns={webhookColumns} rows={items} toKey={({ id }) => id} />
				)
			}
		</Loaded>
	);
}

function toUrl({ parameters }: WebhookRecord): string {
	return String(parameters["url"] ?? "");
}
