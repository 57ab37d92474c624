import type { EventBus, Logger } from "../../contract/index.ts";
import { createBusWatch } from "./bus-listener.ts";

const eventName = "svc.reaction__change";

/** Tells who keeps actions, trigger types, triggers or rules in memory, on every node, that some have changed. */
export interface ChangeFeed {
	/** Call `listener` after each change; at once for one of this node. */
	onChange(listener: () => void): void;
	/** Something has been stored. */
	changed(): void;
	start(): Promise<void>;
	stop(): void;
}

export function createChangeFeed(parts: { readonly eventBus: EventBus; readonly logger: Logger; readonly nodeId: string }): ChangeFeed {
	const { eventBus, nodeId } = parts;
	const listeners: (() => void)[] = [];

	function tell(): void {
		for (const listener of listeners) listener();
	}

	const watch = createBusWatch({
		...parts,
		names: [eventName],
		purpose: "changes of actions, triggers and rules",
		filter: ({ data }) => data["node_id"] !== nodeId,
		onEvent: tell,
		onGap: tell,
	});

	return {
		...watch,
		onChange(listener) {
			listeners.push(listener);
		},
		changed() {
			tell();
			eventBus.publish(eventName, { node_id: nodeId });
		},
	};
}
