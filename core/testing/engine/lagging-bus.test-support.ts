import { FanOut } from "../../../plugins/_event-bus/fan-out.ts";
import type { BusEvent, EventBusPlugin } from "../../contract/index.ts";

/** A bus of one process whose subscribers can be told that they may have missed something, as those of a bus between nodes are. */
export interface LaggingBus {
	readonly plugin: EventBusPlugin;
	readonly published: readonly BusEvent[];
	lag(): void;
}

export function createLaggingBus(): LaggingBus {
	const fanOut = new FanOut();
	const published: BusEvent[] = [];
	const bus = {
		capabilities: { shared: true },
		publish(name: string, data: BusEvent["data"]) {
			published.push({ name, data });
			fanOut.publish({ name, data });
		},
		subscribe: async (...args: Parameters<FanOut["subscribe"]>) => fanOut.subscribe(...args),
		stop: async () => fanOut.stop(),
	};
	return { plugin: { kind: "event-bus", name: "lagging", create: () => bus }, published, lag: () => fanOut.lag("a test") };
}
