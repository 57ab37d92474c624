import { EventLoopUtilization } from "../lib/event-loop.ts";
import { type SseSource, SseSourceReader } from "./sse-source-reader.ts";
import { SseSubscribers } from "./sse-subscribers.ts";

/** A client's request to join the fan-out of a key. */
export interface SseFanOutRequest {
	/** Clients with the same key get the same bytes: the key must contain everything that decides what they may see. */
	readonly key: unknown;
	/** Opens the source if no fan-out for the key exists. The source must end when the signal aborts. */
	open(signal: AbortSignal): Promise<SseSource>;
	/** Ends the client's stream. */
	readonly signal: AbortSignal;
}

/** Settings of the fan-outs; all are for tests. */
export interface SseFanOutsOptions {
	/** Bytes buffered for slow clients, in all fan-outs together. Default 32 MiB. */
	readonly maxBufferedBytes?: number;
	/** Returns milliseconds of a monotonic clock. */
	readonly now?: () => number;
	/** Calls the function after this many milliseconds. Default `setTimeout`. */
	readonly schedule?: (go: () => void, milliseconds: number) => void;
	/** Starts measuring the load of the event loop. */
	readonly createLoopLoad?: () => Pick<EventLoopUtilization, "wasLow">;
}

/** Bytes buffered for slow clients, in all fan-outs together. */
const defaultMaxBufferedBytes = 33_554_432;
/** Length of the pause after a flush, in durations of that flush: writing takes at most a quarter of the time. */
const pauseFactor = 3;
/** Length of the pause while the event loop has little else to do: writing takes at most half of the time. */
const idlePauseFactor = 1;
/** Milliseconds of the longest pause between two flushes, however long the previous one took. */
const maxPauseMs = 50;

/**
 * Shares event streams between clients that may see the same events. The events of a key are read, encoded and buffered once, and written
 * to all of its clients in one flush.
 *
 * A key has at most one reader that clients can join. The first `join` creates it. It is removed when its source ends or fails, or when its
 * last client has left. The clients of a removed reader still take their remaining pieces, so a newer reader of the key may exist at the
 * same time.
 *
 * All fan-outs share one flush cycle:
 *
 * - Idle: no event is pending. The first event schedules a flush.
 * - Scheduled: the flush waits for the end of the pause after the previous one. Events of all fan-outs gather in the meantime.
 * - Flushing: slow clients are ended first, then each fan-out with pending events is flushed, and the cycle waits until the sockets are
 *   written.
 * - The next flush is scheduled if events were added during this one. Otherwise the cycle is idle.
 *
 * The cycle is busy while a flush is scheduled or runs. So there is one flush at a time, and its measured duration is that of all writes.
 *
 * Reason for the pause: with hundreds of clients, writing an event to all sockets takes longer than encoding it. Flushing each event would
 * occupy the event loop and delay all other requests. A pause of three times the flush duration gathers more events into each write. If the
 * event loop is less than half busy, a pause of one duration suffices, and clients get their events sooner. No pause is longer than 50 ms.
 *
 * Guarantee: clients that read slowly cannot exhaust the memory of the process. Each flush first ends clients that lag by more than 2,000
 * events. Then it ends the slowest client of the fan-out with the most buffered bytes, until the total is within the limit.
 *
 * Concurrency: everything except `join` and the wait for the sockets is synchronous. While `join` waits for its source, the reader may
 * stop. Then `join` tries again with a new reader, so a client never gets a stream that ended before it joined.
 */
export class SseFanOutHub {
	readonly #maxBufferedBytes: number;
	readonly #now: () => number;
	readonly #schedule: NonNullable<SseFanOutsOptions["schedule"]>;
	readonly #watchLoad: NonNullable<SseFanOutsOptions["createLoopLoad"]>;
	/** Readers that clients can join, by key. */
	readonly #readers = new Map<unknown, SseSourceReader>();
	/** Fan-outs whose buffers count towards the limit, including those of stopped readers that still have clients. */
	readonly #fanOuts = new Set<SseSubscribers>();
	/** Fan-outs with pending events. */
	readonly #pendingFanOuts = new Set<SseSubscribers>();
	/** True while a flush is scheduled or runs. */
	#isBusy = false;
	/** Earliest times of the next flush, in milliseconds of `now`: while the event loop is busy, and while it is not. */
	#pauseEnds = { busy: 0, idle: 0 };

	constructor(parts: SseFanOutsOptions = {}) {
		const {
			maxBufferedBytes = defaultMaxBufferedBytes,
			now = () => performance.now(),
			schedule = setTimeout,
			createLoopLoad = () => new EventLoopUtilization(),
		} = parts;
		this.#maxBufferedBytes = maxBufferedBytes;
		this.#now = now;
		this.#schedule = schedule;
		this.#watchLoad = createLoopLoad;
	}

	/**
	 * Returns the encoded events that are published from now on. Throws the errors of opening the source. The iteration throws
	 * `SVC_SUBSCRIBER_LAGGED` if the client lags too far.
	 */
	async join({ key, open, signal }: SseFanOutRequest): Promise<AsyncIterable<Uint8Array>> {
		for (;;) {
			const reader = this.#readers.get(key) ?? this.#startReader(key, open);
			const subscriber = await reader.join();
			// The reader has stopped while this client waited: its last subscriber left, or its source ended.
			if (subscriber === undefined) continue;
			const leave = () => subscriber.fail();
			if (signal.aborted) leave();
			else signal.addEventListener("abort", leave, { once: true });
			return subscriber;
		}
	}

	#startReader(key: unknown, open: SseFanOutRequest["open"]): SseSourceReader {
		const fanOut: SseSubscribers = new SseSubscribers({
			onPending: () => {
				this.#pendingFanOuts.add(fanOut);
				if (!this.#isBusy) this.#scheduleFlush();
			},
			onEmpty: () => {
				this.#fanOuts.delete(fanOut);
				reader.stop();
			},
		});
		const reader: SseSourceReader = new SseSourceReader(open, fanOut, () => {
			if (this.#readers.get(key) === reader) this.#readers.delete(key);
			// If the fan-out has no clients, no leaving client would remove it.
			if (fanOut.subscriberCount === 0) this.#fanOuts.delete(fanOut);
		});
		this.#fanOuts.add(fanOut);
		this.#readers.set(key, reader);
		return reader;
	}

	#scheduleFlush(): void {
		this.#isBusy = true;
		const { busy, idle } = this.#pauseEnds;
		const now = this.#now();
		if (busy - now < 1) return void setImmediate(() => void this.#flush());
		const load = this.#watchLoad();
		const flushOrWait = () => {
			if (this.#now() >= busy || load.wasLow()) void this.#flush();
			else this.#schedule(flushOrWait, 1);
		};
		this.#schedule(flushOrWait, Math.max(0, idle - now));
	}

	async #flush(): Promise<void> {
		const startedAt = this.#now();
		// Slow clients are ended before new pieces are made: a client that reads has taken the pieces of the previous flush by now.
		for (const fanOut of this.#pendingFanOuts) fanOut.dropLagging();
		this.#limitBufferedBytes();
		for (const fanOut of this.#pendingFanOuts) fanOut.flush();
		this.#pendingFanOuts.clear();
		await waitForSocketWrites();
		const now = this.#now();
		const pauseEnd = (factor: number) => now + Math.min(maxPauseMs, factor * (now - startedAt));
		this.#pauseEnds = { busy: pauseEnd(pauseFactor), idle: pauseEnd(idlePauseFactor) };
		this.#isBusy = false;
		if (this.#pendingFanOuts.size > 0) this.#scheduleFlush();
	}

	/** Ends slow clients until the buffered bytes of all fan-outs are within the limit. */
	#limitBufferedBytes(): void {
		for (;;) {
			let totalBytes = 0;
			let largest: { readonly bytes: number; readonly fanOut: SseSubscribers | undefined } = { bytes: 0, fanOut: undefined };
			for (const fanOut of this.#fanOuts) {
				const bytes = fanOut.bufferedBytes;
				totalBytes += bytes;
				if (bytes > largest.bytes) largest = { bytes, fanOut };
			}
			if (totalBytes <= this.#maxBufferedBytes) return;
			largest.fanOut?.dropSlowest();
		}
	}
}

/**
 * Resolves about when the sockets have been written to, so that the measured duration of a flush includes the writes. An event
 * passes through several promises on its way to the socket, and Node writes only after them.
 */
async function waitForSocketWrites(): Promise<void> {
	for (let step = 0; step < 10; step += 1) await undefined;
	await new Promise<void>((resolve) => process.nextTick(resolve));
}
