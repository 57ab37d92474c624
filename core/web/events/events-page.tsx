import { toHref, toPath } from "../kit/address.ts";
import type { PageProps } from "../kit/page.ts";
import { type PageView, PageViews } from "../parts/page-views.tsx";
import { Deliveries } from "./deliveries.tsx";
import { EventList } from "./event-list.tsx";
import { SensorList } from "./sensor-list.tsx";
import { TimerList } from "./timer-list.tsx";
import { TriggerTypeList } from "./trigger-type-list.tsx";
import { WebhookList } from "./webhook-list.tsx";

const views: readonly PageView[] = [
	{ name: "latest", title: "Events", permission: "trigger_instance_list", Shown: EventList },
	{ name: "webhooks", title: "Webhooks", permission: "webhook_list", Shown: WebhookList },
	{ name: "deliveries", title: "Deliveries", permission: "webhook_list", Shown: Deliveries },
	{ name: "timers", title: "Timers", permission: "timer_list", Shown: TimerList },
	{ name: "sensors", title: "Sensors", permission: "sensor_type_list", Shown: SensorList },
	{ name: "triggers", title: "Trigger types", permission: "trigger_type_list", Shown: TriggerTypeList },
];

/** What has happened, and where that comes from. */
export function Page({ values: { view = "" } }: PageProps) {
	return (
		<>
			<div class="page-head">
				<h1>Events</h1>
			</div>
			<PageViews
				label="What happens, and where"
				views={views}
				chosen={view}
				toViewHref={(name) => toHref(toPath("/events/:view", { view: name }))}
				refusal="You may see neither events nor where they come from."
			/>
		</>
	);
}
