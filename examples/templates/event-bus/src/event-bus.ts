import { defineEventBus, type EventBus } from "svc-automation/contract";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";

/** Begins as the bus within one process. Send to other nodes what is published here, and publish here what they send. */
export const templateName = defineEventBus(
	"template-name",
	(): EventBus => {
		const local = memoryBus().create();
		return {
			// `shared: true` once events reach other processes; then the test needs `connect`.
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
