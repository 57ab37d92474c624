import type { BusEvent, EventBus, Logger } from "../../contract/index.ts";

const eventName = "svc.reaction__change";

/** Tells who keeps trigger types, triggers or rules in memory, on every node, that some have changed. */
export interface ChangeFeed {
	/** Call `listener` after each change; at once for one of this node. */
	onChange(listener: () => void): void;
	/** Something has been stored. */
	changed(): void;
	start(): Promise<void>;
	stop(): void;
}

export function createChangeFeed(parts: { readonly eventBus: EventBus; readonly logger: Logger; readonly nodeId: string }): ChangeFeed {
	const { eventBus, logger, nodeId } = parts;
	const listeners: (() => void)[] = [];
	const following = new AbortController();

	function tell(): void {
		for (const listener of listeners) listener();
	}

	async function follow(): Promise<void> {
		const events = await eventBus.subscribe([eventName], {
			signal: following.signal,
			filter: (event) => event.data["node_id"] !== nodeId,
		});
		void obey(events).catch(async (error: unknown) => {
			logger.warn("following changes of triggers and rules was interrupted", { error });
			await follow().catch((failure: unknown) => logger.error("following changes of triggers and rules ended", { error: failure }));
			tell();
		});
	}

	async function obey(events: AsyncIterable<BusEvent>): Promise<void> {
		for await (const _event of events) tell();
	}

	return {
		onChange(listener) {
			listeners.push(listener);
		},
		changed() {
			tell();
			eventBus.publish(eventName, { node_id: nodeId });
		},
		start: follow,
		stop: () => following.abort(),
	};
}
