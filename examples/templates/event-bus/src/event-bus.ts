import { defineEventBus, type EventBus } from "svc-automation/contract";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";

/** Delivers events within one process. Send published events to other nodes as well, and publish the events that they send. */
export const templateName = defineEventBus(
	"template-name",
	(): EventBus => {
		const local = memoryBus().create();
		return {
			// Set `shared: true` once events reach other processes. The test then needs `connect`.
			capabilities: { shared: false },
			publish(name, data) {
				local.publish(name, data);
			},
			subscribe: (names, options) => local.subscribe(names, options),
			async stop() {
				await local.stop?.();
			},
		};
	},
	{ contract: 1 },
);
