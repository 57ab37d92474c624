import { type BusEvent, isSvcError } from "../../../contract/index.ts";
import type { Uses } from "../../basics/engine-parts.ts";
import { eventNames, readEventExecution, readExecutionId, readOutputChunk } from "../../executions/execution-events.ts";
import type { OutputChunk } from "../../executions/executions-api.ts";
import { isCompleted } from "../../executions/status.ts";

/** Milliseconds without a notification after which waiting followers read the storage, in case the bus has lost events. */
const pollIntervalMs = 5_000;

/** A follower that has read all output so far. */
export interface ChunkWaiter {
	/** Called once after `add`. `isOld` is true if no notification has arrived for 5 s: the follower must then read the storage. */
	wake(isOld: boolean): void;
}

interface OutputNotifierDependencies extends Uses<"eventBus"> {
	readonly executionId: string;
	/** Called with each published chunk, while the publisher still holds its pooled text. */
	readonly onChunk: (chunk: OutputChunk) => void;
}

/**
 * Event subscription for the output of one execution, shared by its followers on this node. It only notifies the followers of new chunks.
 * Each follower takes the chunks from the cache or the storage at its own pace.
 */
export class OutputNotifier {
	/** Counter that grows with every notification. */
	version = 0;
	/** Counter that grows when followers must read the status of the execution again: it has ended, or events may have been missed. */
	statusVersion = 0;
	/** Highest sequence number of the published chunks. */
	lastAnnounced = 0;
	readonly #parts: OutputNotifierDependencies;
	/** Error that ended the subscription; undefined while the subscription exists. */
	failure: { readonly error: unknown } | undefined;
	readonly #stop = new AbortController();
	#waiters = new Set<ChunkWaiter>();
	#pollTimer: NodeJS.Timeout | undefined;

	constructor(parts: OutputNotifierDependencies) {
		this.#parts = parts;
	}

	/** Subscribes. Resolves once no later event can be missed. */
	async open(): Promise<void> {
		const events = await this.#subscribe();
		if (this.#stop.signal.aborted) return;
		// One timer for all followers: a timer for each follower would have to be restarted with every line.
		this.#pollTimer = setInterval(() => this.#wake(true), pollIntervalMs);
		void this.#handleEvents(events).catch((error: unknown) => {
			this.failure = { error };
			this.#notify();
		});
	}

	/** Wakes a follower once: with the next notification, or after 5 s without any. */
	add(waiter: ChunkWaiter): void {
		this.#waiters.add(waiter);
	}

	/** Removes a follower that has not been woken. */
	delete(waiter: ChunkWaiter): void {
		this.#waiters.delete(waiter);
	}

	close(): void {
		clearInterval(this.#pollTimer);
		this.#stop.abort();
	}

	/** Handles events until the subscription is closed. If the bus reports that events were missed, subscribes again. */
	async #handleEvents(first: AsyncIterable<BusEvent>): Promise<void> {
		for (let events = first; !this.#stop.signal.aborted; events = await this.#subscribe()) {
			try {
				for await (const event of events) this.#handleEvent(event);
			} catch (error) {
				if (!isSvcError(error, "SVC_SUBSCRIBER_LAGGED")) throw error;
			}
			// Missed chunks are stored, so make the followers read the storage.
			this.statusVersion += 1;
			this.#notify();
		}
	}

	#handleEvent(event: BusEvent): void {
		if (event.name === eventNames.outputCreate) {
			const chunk = readOutputChunk(event);
			this.lastAnnounced = Math.max(this.lastAnnounced, chunk.sequence);
		} else if (isCompleted(readEventExecution(event).status)) this.statusVersion += 1;
		else return;
		this.#notify();
	}

	#notify(): void {
		this.version += 1;
		this.#pollTimer?.refresh();
		this.#wake(false);
	}

	#wake(isOld: boolean): void {
		const waiters = this.#waiters;
		this.#waiters = new Set();
		for (const waiter of waiters) waiter.wake(isOld);
	}

	#subscribe(): Promise<AsyncIterable<BusEvent>> {
		const { eventBus, executionId, onChunk } = this.#parts;
		return eventBus.subscribe([eventNames.outputCreate, eventNames.executionUpdate], {
			signal: this.#stop.signal,
			filter(event) {
				if (readExecutionId(event) !== executionId) return false;
				if (event.name === eventNames.outputCreate) onChunk(readOutputChunk(event));
				return true;
			},
		});
	}
}
