import type { Uses } from "../basics/engine-parts.ts";
import { createRenewedSubscription, type ReconnectingSubscription } from "../coordination/reconnecting-subscription.ts";
import { eventNames } from "../executions/execution-events.ts";
import type { PollRequest } from "./scheduler.ts";

/** Notifies the schedulers of other nodes of waiting executions, which they would otherwise find only at their next poll. */
export interface CrossNodeWakeup extends ReconnectingSubscription {
	/**
	 * Notifies other nodes of a stored execution that this node has not claimed. `delayed`: true if the execution is delayed or queued, so
	 * that a full poll is needed.
	 */
	announce(work: { readonly delayed: boolean }): void;
}

export interface CrossNodeWakeupOptions extends Uses<"eventBus" | "logger" | "nodeId"> {
	/**
	 * Called when other nodes have stored waiting executions, or may have done so. The members of `request` select the executions to poll for.
	 */
	readonly wake: (request: PollRequest) => void;
}

/**
 * Creates the notifications between schedulers. If bus events may have been missed, the scheduler is woken for a full poll. If the event
 * bus is not shared, nothing is published, because there are no other nodes.
 */
export function createCrossNodeWakeup({ eventBus, logger, nodeId, wake }: CrossNodeWakeupOptions): CrossNodeWakeup {
	const busListener = createRenewedSubscription({
		eventBus,
		logger,
		names: [eventNames.pending],
		purpose: "executions of other nodes",
		filter: ({ data }) => data["node_id"] !== nodeId,
		onEvent: ({ data }) => (data["ready"] === true ? wake({ requested: false, ready: true }) : wake({ delayed: data["delayed"] === true })),
		onGap: () => wake({ delayed: true }),
	});
	return {
		...busListener,
		announce({ delayed }) {
			if (eventBus.capabilities.shared === true) eventBus.publish(eventNames.pending, { node_id: nodeId, delayed });
		},
	};
}
