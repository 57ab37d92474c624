import { type BusEvent, type EventBus, isSvcError } from "../../../contract/index.ts";
import { eventNames, toEventChunk, toEventEntity, toExecutionId } from "../../executions/execution-events.ts";
import type { OutputChunk } from "../../executions/executions-api.ts";
import { isCompleted } from "../../executions/status.ts";

/** Milliseconds of silence after which those who wait look into the storage, in case the bus lost something. */
const followPoll = 5_000;

/** Somebody who has read all that there is. */
export interface Waiting {
	/** `isOld`: nothing is new, but has not been for long. */
	wake(isOld: boolean): void;
}

interface OutputFeedParts {
	readonly eventBus: EventBus;
	readonly executionId: string;
	/** Called with each chunk that is told of, while whoever tells holds it. */
	readonly onChunk: (chunk: OutputChunk) => void;
}

/**
 * What the event bus tells of the output of one execution, for all on this node who follow it. It says that there is something new; what
 * it is they take from the recent chunks or from the storage, each at its own pace, so that nothing waits for the slowest.
 */
export class OutputFeed {
	/** Grows with everything that may be of interest. */
	version = 0;
	/** Grows with what does not show in chunks: an end, or that something may have been missed. */
	news = 0;
	/** Highest sequence of the chunks that were told of. */
	told = 0;
	readonly #parts: OutputFeedParts;
	/** The event bus tells nothing any more. */
	failure: { readonly error: unknown } | undefined;
	readonly #stop = new AbortController();
	#waiting = new Set<Waiting>();
	#timer: NodeJS.Timeout | undefined;

	constructor(parts: OutputFeedParts) {
		this.#parts = parts;
	}

	/** Resolves when nothing that is told from here on is missed. */
	async open(): Promise<void> {
		const events = await this.#subscribe();
		if (this.#stop.signal.aborted) return;
		// One for all of them: each would have to begin its own anew with every line.
		this.#timer = setInterval(() => this.#wake(true), followPoll);
		void this.#pump(events).catch((error: unknown) => {
			this.failure = { error };
			this.#tell();
		});
	}

	/** Wake somebody once there is something new, or has not been for long. */
	add(waiting: Waiting): void {
		this.#waiting.add(waiting);
	}

	delete(waiting: Waiting): void {
		this.#waiting.delete(waiting);
	}

	close(): void {
		clearInterval(this.#timer);
		this.#stop.abort();
	}

	async #pump(first: AsyncIterable<BusEvent>): Promise<void> {
		for (let events = first; !this.#stop.signal.aborted; events = await this.#subscribe()) {
			try {
				for await (const event of events) this.#take(event);
			} catch (error) {
				if (!isSvcError(error, "SVC_SUBSCRIBER_LAGGED")) throw error;
			}
			// What was missed is in the storage.
			this.news += 1;
			this.#tell();
		}
	}

	#take(event: BusEvent): void {
		if (event.name === eventNames.outputCreate) {
			const chunk = toEventChunk(event);
			this.told = Math.max(this.told, chunk.sequence);
		} else if (isCompleted(toEventEntity(event).status)) this.news += 1;
		else return;
		this.#tell();
	}

	#tell(): void {
		this.version += 1;
		this.#timer?.refresh();
		this.#wake(false);
	}

	#wake(isOld: boolean): void {
		const waiting = this.#waiting;
		this.#waiting = new Set();
		for (const one of waiting) one.wake(isOld);
	}

	#subscribe(): Promise<AsyncIterable<BusEvent>> {
		const { eventBus, executionId, onChunk } = this.#parts;
		return eventBus.subscribe([eventNames.outputCreate, eventNames.executionUpdate], {
			signal: this.#stop.signal,
			filter(event) {
				if (toExecutionId(event) !== executionId) return false;
				if (event.name === eventNames.outputCreate) onChunk(toEventChunk(event));
				return true;
			},
		});
	}
}
