import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import type { EventBusPlugin } from "../../contract/index.ts";

/** A bus in memory that counts those who follow an execution now. */
export function countingBus(): { readonly plugin: EventBusPlugin; followers(): number } {
	const signals: AbortSignal[] = [];
	const plugin = memoryBus();
	return {
		followers: () => signals.filter(({ aborted }) => !aborted).length,
		plugin: {
			...plugin,
			create() {
				const bus = plugin.create();
				const subscribe = bus.subscribe.bind(bus);
				bus.subscribe = (names, options) => {
					if (names.includes("svc.execution.output__create")) signals.push(options.signal);
					return subscribe(names, options);
				};
				return bus;
			},
		},
	};
}
