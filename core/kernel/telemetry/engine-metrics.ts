import type { MetricDefinition } from "../../contract/index.ts";
import type { TelemetryHub } from "./telemetry-hub.ts";

/** What becomes of an event as it is stored; the processor knows of those that are stored as processed. */
export const eventOutcomes: MetricDefinition = {
	name: "svc_trigger_instances_total",
	help: "Events that came in: pending ones are looked at later, about acted ones everything was done at once, dismissed ones concern nobody.",
	labels: ["outcome"],
};

/** Counts events by what this node stores of them. */
export function countEvents(hub: TelemetryHub): void {
	const events = hub.counter(eventOutcomes);
	hub.onStored("trigger_instance", (stored) => {
		for (const { status } of stored) if (status !== "processed") events.record(1, "pending");
	});
}
