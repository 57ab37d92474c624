import type { SseSubscriber, SseSubscribers } from "./sse-subscribers.ts";

/** Source of the events of a fan-out. */
export interface SseSource {
	/**
	 * Encoded events in order, in one batch for each event of the source. A batch is empty if its event must not be shown. Ends when
	 * the signal that the source was opened with aborts.
	 */
	readonly eventBatches: AsyncIterable<readonly Uint8Array[]>;
	/** Returns the number of batches added to `eventBatches` so far, read or not. */
	publishedCount(): number;
}

/**
 * Reads a source into its fan-out for as long as the fan-out has subscribers.
 *
 * The reader is first opening, then reading, then stopped. It stops when the source ends or fails, when opening the source fails, or
 * when the owner calls `stop` because the last subscriber has left. A stopped reader accepts no subscriber and is never started
 * again.
 *
 * Reading lags the source, so events that were published before a client joined may arrive after it. Such a client waits as a
 * joined, not yet started subscriber until these events have been read. Without that it would get events older than its request.
 */
export class SseSourceReader {
	readonly #broadcast: SseSubscribers;
	readonly #onEnd: () => void;
	readonly #stopController = new AbortController();
	readonly #source: Promise<SseSource>;
	/** Subscribers that wait until `startAfter` batches have been read: all batches that were published before the subscriber joined. */
	#waitingSubscribers: { readonly subscriber: SseSubscriber; readonly startAfter: number }[] = [];
	#readBatches = 0;

	/** @param onEnd called when no subscriber can join any more; may be called more than once */
	constructor(open: (signal: AbortSignal) => Promise<SseSource>, broadcast: SseSubscribers, onEnd: () => void) {
		this.#broadcast = broadcast;
		this.#onEnd = onEnd;
		this.#source = open(this.#stopController.signal);
		this.#source.then((source) => this.#readSource(source)).catch(() => this.stop());
	}

	/**
	 * Returns a subscriber to the events published from now on, or undefined if the reader has stopped. Throws the error that opening
	 * the source threw.
	 */
	async join(): Promise<SseSubscriber | undefined> {
		const source = await this.#source;
		if (this.#stopController.signal.aborted) return undefined;
		const subscriber = this.#broadcast.addSubscriber();
		const startAfter = source.publishedCount();
		if (startAfter <= this.#readBatches) this.#broadcast.startSubscriber(subscriber);
		else this.#waitingSubscribers.push({ subscriber, startAfter });
		return subscriber;
	}

	/** Stops reading the source. May be called more than once. */
	stop(): void {
		this.#onEnd();
		this.#stopController.abort();
	}

	async #readSource({ eventBatches }: SseSource): Promise<void> {
		let failure: unknown;
		try {
			for await (const batch of eventBatches) {
				this.#startWaitingSubscribers();
				for (const event of batch) this.#broadcast.add(event);
				this.#readBatches += 1;
			}
		} catch (error) {
			failure = error;
		}
		this.#broadcast.end(failure);
		this.stop();
	}

	#startWaitingSubscribers(): void {
		const due = this.#waitingSubscribers.filter(({ startAfter }) => startAfter <= this.#readBatches);
		if (due.length === 0) return;
		this.#waitingSubscribers = this.#waitingSubscribers.filter(({ startAfter }) => startAfter > this.#readBatches);
		for (const { subscriber } of due) this.#broadcast.startSubscriber(subscriber);
	}
}
