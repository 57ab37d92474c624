import { type BusEvent, SvcError } from "../../core/contract/index.ts";

interface Waiter {
	resolve(result: IteratorResult<BusEvent, undefined>): void;
	reject(error: unknown): void;
}

export interface SubscriptionOptions {
	readonly filter: ((event: BusEvent) => boolean) | undefined;
	readonly buffer: number;
	/** Called as soon as the subscription accepts no further events; the reader may still read buffered ones. May be called twice. */
	readonly leave: () => void;
	/** Called once, when the reader gets no more events. */
	readonly onEnd: () => void;
}

/** A subscription: a bounded buffer of events, and the iterator that reads it. */
export class Subscription implements AsyncIterableIterator<BusEvent, undefined> {
	readonly #filter: ((event: BusEvent) => boolean) | undefined;
	readonly #limit: number;
	readonly #leave: () => void;
	readonly #onEnd: () => void;
	#events: BusEvent[] = [];
	// Index of the oldest event. Calling `shift` on an array of a thousand events at each read would be slow.
	#head = 0;
	#waiters: Waiter[] = [];
	#ended = false;
	#failure: Error | undefined;

	constructor({ filter, buffer, leave, onEnd }: SubscriptionOptions) {
		this.#filter = filter;
		this.#limit = buffer;
		this.#leave = leave;
		this.#onEnd = onEnd;
	}

	deliver(event: BusEvent): void {
		if (this.#ended || this.#failure !== undefined || !this.#accepts(event)) return;
		const waiter = this.#waiters.shift();
		if (waiter !== undefined) waiter.resolve({ done: false, value: event });
		else if (this.#events.length - this.#head < this.#limit) this.#events.push(event);
		else this.lag(`the subscriber is more than ${this.#limit} events behind`);
	}

	/** Ends the subscription with `SVC_SUBSCRIBER_LAGGED` after its buffered events, because later events may be missing. */
	lag(message: string): void {
		if (this.#ended || this.#failure !== undefined) return;
		this.#fail(new SvcError("SVC_SUBSCRIBER_LAGGED", message));
	}

	/** Ends the subscription without an error. Buffered events are not delivered. */
	end(): void {
		if (this.#ended) return;
		this.#ended = true;
		this.#events = [];
		this.#head = 0;
		this.#failure = undefined;
		this.#leave();
		this.#onEnd();
		for (const waiter of this.#waiters) waiter.resolve({ done: true, value: undefined });
		this.#waiters = [];
	}

	async next(): Promise<IteratorResult<BusEvent, undefined>> {
		const event = this.#take();
		if (event !== undefined) return { done: false, value: event };
		const failure = this.#failure;
		if (failure !== undefined) {
			this.end();
			throw failure;
		}
		if (this.#ended) return { done: true, value: undefined };
		return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
	}

	async return(): Promise<IteratorResult<BusEvent, undefined>> {
		this.end();
		return { done: true, value: undefined };
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	#accepts(event: BusEvent): boolean {
		if (this.#filter === undefined) return true;
		try {
			return this.#filter(event);
		} catch (error) {
			// Report the error to the subscriber, which supplied the filter, and not to the publisher.
			this.#fail(error instanceof Error ? error : new Error(String(error)));
			return false;
		}
	}

	#take(): BusEvent | undefined {
		const event = this.#events[this.#head];
		if (event === undefined) return undefined;
		this.#head += 1;
		if (this.#head === this.#events.length) {
			this.#events = [];
			this.#head = 0;
		} else if (this.#head >= this.#limit) {
			this.#events = this.#events.slice(this.#head);
			this.#head = 0;
		}
		return event;
	}

	/** Ends the subscription with an error. Buffered events are delivered first, so that the error marks the exact position of the gap. */
	#fail(failure: Error): void {
		const waiter = this.#waiters.shift();
		if (waiter === undefined) {
			this.#failure = failure;
			this.#leave();
		} else {
			waiter.reject(failure);
			this.end();
		}
	}
}
