import type { EventBus, Logger } from "../../../contract/index.ts";
import { type BusListener, createBusListener } from "../../coordination/bus-listener.ts";
import { eventNames, toEventEntity } from "../../executions/execution-events.ts";
import type { ChildTracker } from "./child-tracker.ts";

/**
 * Passes events about children to the trackers of the parent runs on this node. All trackers share one subscription of the event bus, which
 * lasts while any tracker is added.
 */
export class ChildEvents {
	readonly #listener: BusListener;
	/** Trackers by parent execution. There may be two of one parent, if this node has claimed it again before its lost run has ended. */
	readonly #trackers = new Map<string, Set<ChildTracker>>();
	#subscription: Promise<void> | undefined;

	constructor({ eventBus, logger }: { readonly eventBus: EventBus; readonly logger: Logger }) {
		this.#listener = createBusListener({
			eventBus,
			logger,
			names: [eventNames.executionUpdate],
			purpose: "children of runs",
			filter: (event) => this.#trackersOf(toEventEntity(event).parent_id).size > 0,
			onEvent: (event) => {
				const child = toEventEntity(event);
				for (const tracker of this.#trackersOf(child.parent_id)) tracker.record(child);
			},
			onGap: () => {
				for (const trackers of this.#trackers.values()) for (const tracker of trackers) tracker.rescan();
			},
		});
	}

	/** Adds the tracker of a parent. Resolves when the tracker misses no later event. */
	async add(parentId: string, tracker: ChildTracker): Promise<void> {
		this.#trackers.set(parentId, this.#trackersOf(parentId).add(tracker));
		this.#subscription ??= this.#listener.start().catch((error: unknown) => {
			this.#subscription = undefined;
			throw error;
		});
		await this.#subscription;
	}

	/** Removes the tracker of a parent. Ends the subscription with the last tracker. */
	remove(parentId: string, tracker: ChildTracker): void {
		const trackers = this.#trackersOf(parentId);
		trackers.delete(tracker);
		if (trackers.size === 0) this.#trackers.delete(parentId);
		if (this.#trackers.size > 0 || this.#subscription === undefined) return;
		this.#subscription = undefined;
		this.#listener.stop();
	}

	#trackersOf(parentId: string | null): Set<ChildTracker> {
		return (parentId === null ? undefined : this.#trackers.get(parentId)) ?? new Set();
	}
}
