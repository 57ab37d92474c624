import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import type { EventBus, EventBusPlugin } from "../../contract/index.ts";

/** A bus inside this process that nodes of a test share. What one node stops goes on for the others. */
export function createSharedBus(): EventBusPlugin {
	return toShared(memoryBus().create());
}

/** A bus that is said to reach other nodes and never does, as one that loses everything. */
export function deafBus(): EventBusPlugin {
	return { kind: "event-bus", name: "deaf", create: () => withShared(memoryBus().create()) };
}

function toShared(bus: EventBus): EventBusPlugin {
	return { kind: "event-bus", name: "shared", create: () => ({ ...withShared(bus), stop: async () => {} }) };
}

function withShared(bus: EventBus): EventBus {
	return {
		capabilities: { shared: true },
		publish: (name, data) => bus.publish(name, data),
		subscribe: (names, options) => bus.subscribe(names, options),
		stop: async () => bus.stop?.(),
	};
}
