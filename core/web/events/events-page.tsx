import type { ComponentType } from "preact";
import { toHref, toPath } from "../kit/address.ts";
import type { PageProps } from "../kit/page.ts";
import { session } from "../kit/service.ts";
import { Fault } from "../parts/fault.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Deliveries } from "./deliveries.tsx";
import { EventList } from "./event-list.tsx";
import { SensorList } from "./sensor-list.tsx";
import { TimerList } from "./timer-list.tsx";
import { TriggerTypeList } from "./trigger-type-list.tsx";
import { WebhookList } from "./webhook-list.tsx";

interface View {
	readonly name: string;
	readonly title: string;
	readonly permission: string;
	readonly Shown: ComponentType;
}

const views: readonly View[] = [
	{ name: "latest", title: "Events", permission: "trigger_instance_list", Shown: EventList },
	{ name: "webhooks", title: "Webhooks", permission: "webhook_list", Shown: WebhookList },
	{ name: "deliveries", title: "Deliveries", permission: "webhook_list", Shown: Deliveries },
	{ name: "timers", title: "Timers", permission: "timer_list", Shown: TimerList },
	{ name: "sensors", title: "Sensors", permission: "sensor_type_list", Shown: SensorList },
	{ name: "triggers", title: "Trigger types", permission: "trigger_type_list", Shown: TriggerTypeList },
];

/** What has happened, and where that comes from. */
export function Page({ values: { view = "" } }: PageProps) {
	const offered = views.filter(({ permission }) => session.may(permission));
	const current = offered.find(({ name }) => name === view) ?? offered[0];
	const tabs = offered.map(({ name, title }) => ({ name, title, href: toHref(toPath("/events/:view", { view: name })) }));
	return (
		<>
			<div class="page-head">
				<h1>Events</h1>
			</div>
			{current === undefined ? (
				<Fault error={new Error("You may see neither events nor where they come from.")} />
			) : (
				<>
					<Tabs label="What happens, and where" tabs={tabs} current={current.name} />
					<current.Shown />
				</>
			)}
		</>
	);
}
