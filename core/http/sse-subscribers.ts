import { SvcError } from "../contract/index.ts";

/** Maximum events by which a subscriber may lag. Beyond that its stream ends with an error: there is no history to resume from. */
const maxLagEvents = 2_000;
/** Maximum bytes of a piece, which is written to a socket in one operation. A longer event is a piece of its own. */
const maxPieceBytes = 65_536;

/** Bytes of one or more events, shared by all subscribers. */
interface Piece {
	readonly bytes: Uint8Array;
	/** Position in the sequence of pieces; 0 is the empty piece before the first one. */
	readonly number: number;
	/** Events up to and including this piece, since the fan-out was created. */
	readonly totalEvents: number;
	/** Bytes up to and including this piece, since the fan-out was created. */
	readonly totalBytes: number;
}

/** Callbacks of a fan-out to its owner. */
export interface SseSubscribersHooks {
	/** Called when the first pending event is added: the owner must call `flush` later. */
	readonly onPending: () => void;
	/** Called when the last subscriber has been removed. */
	readonly onEmpty: () => void;
}

/**
 * Sends one sequence of encoded events to many subscribers. Each event is stored once; each subscriber takes it at the speed of its client.
 * The owner decides when to flush and when to end slow subscribers (see sse-fan-out-hub.ts).
 *
 * An event passes through three stages:
 *
 * - Pending: it has been added, and no subscriber can take it yet.
 * - Buffered: it is part of a piece of at most 64 KiB. A flush, the end, or the start of another subscriber turns pending events into
 *   pieces.
 * - Freed: every subscriber that had started when the piece was made has taken the piece, or has ended.
 *
 * A subscriber passes through these states:
 *
 * - Joined: it receives nothing and counts neither as lagging nor as buffering. The source may still deliver events older than the
 *   subscriber.
 * - Started: it receives every event that is added from then on. Events that are pending at its start go to earlier subscribers only.
 * - Ending, because the source has ended: it takes the remaining pieces, and then gets the end of the stream or the error of the source.
 * - Failed, because its client left or the owner ended it: it takes no more pieces, and pieces that only it needed are freed at once.
 * - Removed: its stream has ended. The removal of the last subscriber calls `onEmpty`.
 *
 * Guarantee: until its stream ends, a subscriber gets every event after its start, in order. Events are never skipped, because the client
 * could not notice the gap. So `dropLagging` and `dropSlowest` end a slow subscriber with `SVC_SUBSCRIBER_LAGGED` instead of discarding its
 * events.
 *
 * Concurrency: all methods are synchronous, so none of them sees another one half done. Only the reads of the subscribers wait. A
 * subscriber has at most one read pending: its response requests the next piece when the previous one has been handed to the socket. That
 * request is also what marks the previous piece as sent, so that its bytes no longer count as buffered.
 */
export class SseSubscribers {
	readonly #hooks: SseSubscribersHooks;
	readonly #subscribers = new Set<SseSubscriber>();
	readonly #buffer = new PieceBuffer();
	#pendingEvents: Uint8Array[] = [];
	#lastPiece: Piece = { bytes: new Uint8Array(), number: 0, totalEvents: 0, totalBytes: 0 };

	constructor(hooks: SseSubscribersHooks) {
		this.#hooks = hooks;
	}

	/** Number of subscribers that have not been removed. */
	get subscriberCount(): number {
		return this.#subscribers.size;
	}

	/** Adds an event for all started subscribers. They can take it after the next flush. */
	add(event: Uint8Array): void {
		if (this.#pendingEvents.push(event) === 1) this.#hooks.onPending();
	}

	/** Adds a subscriber that receives nothing before it is started. */
	addSubscriber(): SseSubscriber {
		const subscriber: SseSubscriber = new SseSubscriber(this.#buffer, () => {
			if (this.#subscribers.delete(subscriber) && this.#subscribers.size === 0) this.#hooks.onEmpty();
		});
		this.#subscribers.add(subscriber);
		return subscriber;
	}

	/** Starts a subscriber: it receives the events that are added from now on. */
	startSubscriber(subscriber: SseSubscriber): void {
		this.#bufferPending();
		subscriber.startAfter(this.#lastPiece);
	}

	/** Ends each subscriber that lags by more than 2,000 buffered events, with `SVC_SUBSCRIBER_LAGGED`. */
	dropLagging(): void {
		for (const subscriber of this.#subscribers) {
			if (this.#lastPiece.totalEvents - subscriber.takenEvents <= maxLagEvents) continue;
			subscriber.fail(new SvcError("SVC_SUBSCRIBER_LAGGED", `the client is more than ${maxLagEvents} events behind`));
		}
	}

	/** Buffers the pending events and answers the pending reads of subscribers. */
	flush(): void {
		this.#bufferPending();
		for (const subscriber of this.#subscribers) subscriber.wake();
	}

	/**
	 * Bytes buffered for the slowest subscriber. Pieces are shared, so faster subscribers need no further bytes. Pending events do
	 * not count.
	 */
	get bufferedBytes(): number {
		let bufferedBytes = 0;
		for (const subscriber of this.#subscribers) bufferedBytes = Math.max(bufferedBytes, this.#lastPiece.totalBytes - subscriber.sentBytes);
		return bufferedBytes;
	}

	/** Ends the subscriber for which most bytes are buffered, with `SVC_SUBSCRIBER_LAGGED`. */
	dropSlowest(): void {
		const [slowest] = [...this.#subscribers].sort((a, b) => a.sentBytes - b.sentBytes);
		slowest?.fail(new SvcError("SVC_SUBSCRIBER_LAGGED", "the client reads too slowly and the buffer for slow clients is full"));
	}

	/** Ends the fan-out. Each subscriber gets the remaining events and then the error, if there is one, or the end of its stream. */
	end(error?: unknown): void {
		this.#bufferPending();
		for (const subscriber of this.#subscribers) subscriber.end(error);
	}

	/** Turns the pending events into pieces. */
	#bufferPending(): void {
		let pieceEvents: Uint8Array[] = [];
		let pieceBytes = 0;
		for (const event of this.#pendingEvents) {
			if (pieceBytes > 0 && pieceBytes + event.byteLength > maxPieceBytes) {
				this.#appendPiece(pieceEvents);
				pieceEvents = [];
				pieceBytes = 0;
			}
			pieceEvents.push(event);
			pieceBytes += event.byteLength;
		}
		if (pieceBytes > 0) this.#appendPiece(pieceEvents);
		this.#pendingEvents = [];
	}

	#appendPiece(events: readonly Uint8Array[]): void {
		const [first = new Uint8Array()] = events;
		const bytes = events.length === 1 ? first : Buffer.concat(events);
		const { number, totalEvents, totalBytes } = this.#lastPiece;
		this.#lastPiece = {
			bytes,
			number: number + 1,
			totalEvents: totalEvents + events.length,
			totalBytes: totalBytes + bytes.byteLength,
		};
		this.#buffer.add(this.#lastPiece);
	}
}

/**
 * Pieces that at least one subscriber must still take. They are stored in an array and not as a linked list. In a linked list, a
 * taken piece that waits for garbage collection would keep every later piece alive.
 */
class PieceBuffer {
	/** Pieces in order, without gaps. `remainingReaders` counts the subscribers that must still take the piece. */
	readonly #entries: { readonly piece: Piece; remainingReaders: number }[] = [];
	/** Started subscribers: the number that must take each piece that is added. */
	#subscriberCount = 0;

	/** Registers a subscriber, which must take every piece that is added from now on. */
	addSubscriber(): void {
		this.#subscriberCount += 1;
	}

	add(piece: Piece): void {
		if (this.#subscriberCount > 0) this.#entries.push({ piece, remainingReaders: this.#subscriberCount });
	}

	/** Takes for one subscriber the piece after the one that it took last. Returns undefined if there is none yet. */
	takeAfter({ number }: Piece): Piece | undefined {
		const next = this.#entries[this.#indexAfter(number)];
		if (next === undefined) return undefined;
		next.remainingReaders -= 1;
		this.#dropTaken();
		return next.piece;
	}

	/** Unregisters a subscriber, which takes no piece after this one. */
	removeSubscriber({ number }: Piece): void {
		this.#subscriberCount -= 1;
		for (const entry of this.#entries.slice(this.#indexAfter(number))) entry.remainingReaders -= 1;
		this.#dropTaken();
	}

	#indexAfter(number: number): number {
		return number + 1 - (this.#entries[0]?.piece.number ?? 0);
	}

	/** Removes pieces that no subscriber needs. They are at the front, because all subscribers take the pieces in order. */
	#dropTaken(): void {
		while (this.#entries[0]?.remainingReaders === 0) this.#entries.shift();
	}
}

/** A read that is answered with the next piece. */
interface PendingRead {
	resolve(result: IteratorResult<Uint8Array, undefined>): void;
	reject(error: unknown): void;
}

const doneResult: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };

/** A client of a fan-out, as the iterator of its pieces. Its response requests the next piece when it has sent the previous one. */
export class SseSubscriber implements AsyncIterableIterator<Uint8Array, undefined> {
	readonly #buffer: PieceBuffer;
	readonly #unsubscribe: () => void;
	/** The last piece taken; undefined before the start and after a failure. */
	#lastTaken: Piece | undefined;
	/** The last piece handed to the socket; undefined before the start. */
	#lastSent: Piece | undefined;
	#pendingRead: PendingRead | undefined;
	#isEnded = false;
	#failure: unknown;

	constructor(buffer: PieceBuffer, unsubscribe: () => void) {
		this.#buffer = buffer;
		this.#unsubscribe = unsubscribe;
	}

	/**
	 * Position of the last event taken, counted since the fan-out was created. Infinity before the start, so that nothing counts as lag.
	 */
	get takenEvents(): number {
		return this.#lastTaken?.totalEvents ?? Number.POSITIVE_INFINITY;
	}

	/**
	 * Position of the last byte sent, counted since the fan-out was created. Infinity before the start, so that nothing counts as
	 * buffered.
	 */
	get sentBytes(): number {
		return this.#lastSent?.totalBytes ?? Number.POSITIVE_INFINITY;
	}

	/** Starts with the piece after the given one. Does nothing if the subscriber has ended. */
	startAfter(piece: Piece): void {
		if (this.#isEnded) return;
		this.#buffer.addSubscriber();
		this.#lastTaken = piece;
		this.#lastSent = piece;
	}

	/** Answers the pending read if there is a piece for it, or if the stream has ended. */
	wake(): void {
		if (this.#pendingRead === undefined) return;
		const next = this.#lastTaken && this.#buffer.takeAfter(this.#lastTaken);
		if (next === undefined) {
			if (this.#isEnded) this.#finish(this.#pendingRead);
			return;
		}
		this.#lastTaken = next;
		this.#pendingRead.resolve({ done: false, value: next.bytes });
		this.#pendingRead = undefined;
	}

	/** Ends the stream after the buffered pieces, with the error if there is one. The first error counts. */
	end(error?: unknown): void {
		this.#isEnded = true;
		this.#failure ??= error;
		this.wake();
	}

	/** Ends the stream at once, without the buffered pieces, and with the error if there is one. */
	fail(error?: unknown): void {
		if (this.#lastTaken !== undefined) this.#buffer.removeSubscriber(this.#lastTaken);
		this.#lastTaken = undefined;
		this.#unsubscribe();
		this.end(error);
	}

	next(): Promise<IteratorResult<Uint8Array, undefined>> {
		this.#lastSent = this.#lastTaken;
		return new Promise((resolve, reject) => {
			this.#pendingRead = { resolve, reject };
			this.wake();
		});
	}

	async return(): Promise<IteratorResult<Uint8Array, undefined>> {
		this.fail();
		return doneResult;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	#finish(read: PendingRead): void {
		this.#pendingRead = undefined;
		this.#unsubscribe();
		const failure = this.#failure;
		this.#failure = undefined;
		if (failure === undefined) read.resolve(doneResult);
		else read.reject(failure);
	}
}
