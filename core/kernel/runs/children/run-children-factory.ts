import { createReconnectingSubscription, type ReconnectingSubscription } from "../../coordination/reconnecting-subscription.ts";
import { eventNames, readEventExecution } from "../../executions/execution-events.ts";
import type { ActiveRun } from "../active-runs.ts";
import type { ChildTracker } from "./child-tracker.ts";
import { type AddSecrets, RunChildren, type RunChildrenOptions } from "./run-children.ts";

/**
 * The children of the runs of this node. Passes bus events about children to the trackers of the parent runs. All trackers share one
 * subscription, which exists while there is any tracker.
 */
export class RunChildrenFactory {
	readonly #parts: RunChildrenOptions;
	readonly #listener: ReconnectingSubscription;
	/** Trackers by the id of the parent execution. A parent may have two, if this node has claimed it again before its lost run has ended. */
	readonly #trackers = new Map<string, Set<ChildTracker>>();
	#subscription: Promise<void> | undefined;
	#waitingRuns = 0;

	constructor(parts: Omit<RunChildrenOptions, "watch" | "onWaiting">) {
		const onWaiting = (isWaiting: boolean) => {
			this.#waitingRuns += isWaiting ? 1 : -1;
			if (isWaiting) parts.onSlotFreed();
		};
		this.#parts = { ...parts, watch: this, onWaiting };
		this.#listener = createReconnectingSubscription({
			...parts,
			names: [eventNames.executionUpdate],
			purpose: "children of runs",
			filter: (event) => this.#trackersOf(readEventExecution(event).parent_id).size > 0,
			onEvent: (event) => {
				const child = readEventExecution(event);
				for (const tracker of this.#trackersOf(child.parent_id)) tracker.record(child);
			},
			onGap: () => {
				for (const trackers of this.#trackers.values()) for (const tracker of trackers) tracker.rescan();
			},
		});
	}

	/**
	 * Number of runs that wait for their children. They take no slot. Otherwise waiting parents could hold every slot, so that no child could
	 * run and all parents would wait forever.
	 */
	get runsWithoutSlot(): number {
		return this.#waitingRuns;
	}

	/** Returns the object through which a run starts and watches its children. The caller must close it when the run ends. */
	openFor(run: ActiveRun, addSecrets: AddSecrets): RunChildren {
		return new RunChildren(this.#parts, run, addSecrets);
	}

	/** Adds the tracker of a parent. Resolves once the tracker can miss no later event. */
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
