import type { EventBus, Logger } from "../../contract/index.ts";
import { createReconnectingSubscription, type ReconnectingSubscription } from "./reconnecting-subscription.ts";

const eventName = "svc.reaction__change";

/** Notifies every node that actions, trigger types, triggers or rules have changed, so that their caches of these records are renewed. */
export interface CacheInvalidation extends ReconnectingSubscription {
	/** Calls `listener` after each change on any node, and also when notifications may have been missed. */
	onChange(listener: () => void): void;
	/** Announces a change that this node has stored. The listeners of this node are called before it returns. */
	announceChange(): void;
}

/** Creates the feed, which receives nothing from other nodes until it is started. */
export function createCacheInvalidation(parts: {
	readonly eventBus: EventBus;
	readonly logger: Logger;
	readonly nodeId: string;
}): CacheInvalidation {
	const { eventBus, nodeId } = parts;
	const listeners: (() => void)[] = [];

	function callListeners(): void {
		for (const listener of listeners) listener();
	}

	const busListener = createReconnectingSubscription({
		...parts,
		names: [eventName],
		purpose: "changes of actions, triggers and rules",
		filter: ({ data }) => data["node_id"] !== nodeId,
		onEvent: callListeners,
		onGap: callListeners,
	});

	return {
		...busListener,
		onChange(listener) {
			listeners.push(listener);
		},
		announceChange() {
			callListeners();
			eventBus.publish(eventName, { node_id: nodeId });
		},
	};
}
