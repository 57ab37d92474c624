import type { EventBus, Logger } from "../../contract/index.ts";
import { type BusWatch, createBusWatch } from "../coordination/bus-listener.ts";
import { eventNames } from "../executions/execution-events.ts";

/** Lets the schedulers of other nodes know at once what they would otherwise find at their next poll. */
export interface PendingWork extends BusWatch {
	/** An execution that this node does not run itself has been stored. */
	announce(work: { readonly delayed: boolean }): void;
}

export interface PendingWorkParts {
	readonly eventBus: EventBus;
	readonly logger: Logger;
	readonly nodeId: string;
	/** Other nodes have stored something, or may have. */
	readonly wake: (work: { readonly requested?: boolean; readonly delayed?: boolean; readonly ready?: boolean }) => void;
}

export function createPendingWork({ eventBus, logger, nodeId, wake }: PendingWorkParts): PendingWork {
	const watch = createBusWatch({
		eventBus,
		logger,
		names: [eventNames.pending],
		purpose: "executions of other nodes",
		filter: ({ data }) => data["node_id"] !== nodeId,
		onEvent: ({ data }) => (data["ready"] === true ? wake({ requested: false, ready: true }) : wake({ delayed: data["delayed"] === true })),
		onGap: () => wake({ delayed: true }),
	});
	return {
		...watch,
		announce({ delayed }) {
			if (eventBus.capabilities.shared === true) eventBus.publish(eventNames.pending, { node_id: nodeId, delayed });
		},
	};
}
