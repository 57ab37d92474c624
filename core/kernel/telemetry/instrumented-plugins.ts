import type { EventBus, Storage } from "../../contract/index.ts";
import { countEvents } from "./engine-metrics.ts";
import { ExecutionMetrics } from "./execution-metrics.ts";
import { ObservedBus } from "./observed-bus.ts";
import { ObservedStorage } from "./observed-storage.ts";
import type { TelemetryHub } from "./telemetry-hub.ts";

interface Observable {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly hub: TelemetryHub;
}

/**
 * The same plugins, and what passes through storage and event bus is told: all that the service does is stored, and then told to everybody,
 * so that nothing else has to be changed for it. Where nobody is told they are as they were, and nothing costs anything.
 */
export function observePlugins<P extends Observable>(plugins: P): P {
	const { storage, eventBus, hub } = plugins;
	if (!hub.isOn) return plugins;
	countEvents(hub);
	hub.onPublished(new ExecutionMetrics(hub));
	return { ...plugins, storage: new ObservedStorage(storage, hub), eventBus: new ObservedBus(eventBus, hub) };
}
