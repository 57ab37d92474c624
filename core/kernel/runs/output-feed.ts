import { type BusEvent, type EventBus, isSvcError } from "../../contract/index.ts";
import { eventNames, toEventChunk, toEventEntity, toExecutionId } from "../executions/execution-events.ts";
import type { OutputChunk } from "../executions/executions-api.ts";
import { isCompleted } from "../executions/status.ts";

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
	readonly #stop = new AbortController();
	readonly #waiting = new Set<() => void>();
	#failure: { readonly error: unknown } | undefined;

	constructor(parts: OutputFeedParts) {
		this.#parts = parts;
	}

	/** Resolves when nothing that is told from here on is missed. */
	async open(): Promise<void> {
		const events = await this.#subscribe();
		void this.#pump(events).catch((error: unknown) => {
			this.#failure = { error };
			this.#tell();
		});
	}

	/**
	 * Resolves when the version is no longer `seen`, after so many milliseconds, and when the signal aborts: whether the version has changed.
	 * Rejects when the event bus tells nothing any more.
	 */
	async changed(seen: number, { milliseconds, signal }: { readonly milliseconds: number; readonly signal: AbortSignal }): Promise<boolean> {
		if (this.#failure === undefined && this.version === seen && !signal.aborted) {
			await new Promise<void>((resolve) => {
				const done = () => {
					clearTimeout(timer);
					signal.removeEventListener("abort", done);
					this.#waiting.delete(done);
					resolve();
				};
				const timer = setTimeout(done, milliseconds);
				signal.addEventListener("abort", done, { once: true });
				this.#waiting.add(done);
			});
		}
		if (this.#failure !== undefined && !signal.aborted) throw this.#failure.error;
		return this.version !== seen;
	}

	close(): void {
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
		for (const wake of [...this.#waiting]) wake();
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
