import type { TelemetryHub } from "./telemetry-hub.ts";

/** Counts events by what this node stores of them. */
export function countEvents(hub: TelemetryHub): void {
	const events = hub.counter({
		name: "svc_trigger_instances_total",
		help: "Events that came in: pending ones are looked at, dismissed ones concern nobody.",
		labels: ["outcome"],
	});
	hub.onStored("trigger_instance", (stored) => {
		for (const { status } of stored) events.record(1, status === "processed" ? "dismissed" : "pending");
	});
}
