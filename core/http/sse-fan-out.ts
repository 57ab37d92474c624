import { SvcError } from "../contract/index.ts";

/** Events that a reader may be behind; beyond it the stream ends with an error, as it has no past to read from. */
const mostBehind = 2_000;
/** Bytes of a piece that is handed to a socket as one; a longer event is a piece of its own. */
const pieceSize = 65_536;

/** Bytes that all readers get alike. */
interface Piece {
	readonly bytes: Uint8Array;
	readonly number: number;
	/** Events up to and with this one. */
	readonly events: number;
	/** Bytes up to and with this one. */
	readonly size: number;
}

/** How a broadcast asks to be flushed, and is forgotten. */
export interface BroadcastHooks {
	/** There is something to hand out. */
	readonly onPending: () => void;
	/** Nobody reads it any more. */
	readonly onEmpty: () => void;
}

/** One stream of bytes to many readers: made once, kept once, and handed to each at the speed of its client. */
export class Broadcast {
	readonly #hooks: BroadcastHooks;
	readonly #readers = new Set<BroadcastReader>();
	readonly #untaken = new UntakenPieces();
	#pending: Uint8Array[] = [];
	#last: Piece = { bytes: new Uint8Array(), number: 0, events: 0, size: 0 };

	constructor(hooks: BroadcastHooks) {
		this.#hooks = hooks;
	}

	get readers(): number {
		return this.#readers.size;
	}

	/** An event that all readers get. */
	add(event: Uint8Array): void {
		if (this.#pending.push(event) === 1) this.#hooks.onPending();
	}

	/** A reader that waits until `begin`, and then gets what is added from there on. */
	join(): BroadcastReader {
		const reader: BroadcastReader = new BroadcastReader(this.#untaken, () => {
			if (this.#readers.delete(reader) && this.#readers.size === 0) this.#hooks.onEmpty();
		});
		this.#readers.add(reader);
		return reader;
	}

	begin(reader: BroadcastReader): void {
		this.#close();
		reader.begin(this.#last);
	}

	/** End readers that are too far behind what has been handed out already. */
	dropLagging(): void {
		for (const reader of this.#readers) {
			if (this.#last.events - reader.eventsRead <= mostBehind) continue;
			reader.fail(new SvcError("SVC_SUBSCRIBER_LAGGED", `the client is more than ${mostBehind} events behind`));
		}
	}

	/** Hand out what was added. */
	flush(): void {
		this.#close();
		for (const reader of this.#readers) reader.wake();
	}

	/** Bytes that are kept for the slowest reader, of what has been handed out. */
	get held(): number {
		let held = 0;
		for (const reader of this.#readers) held = Math.max(held, this.#last.size - reader.bytesDone);
		return held;
	}

	/** End the reader for which most is kept. */
	dropSlowest(): void {
		const [slowest] = [...this.#readers].sort((a, b) => a.bytesDone - b.bytesDone);
		slowest?.fail(new SvcError("SVC_SUBSCRIBER_LAGGED", "the client is behind, and too much is kept for clients that are"));
	}

	/** Nothing follows; readers get what there is, and then the error, if there is one. */
	end(error?: unknown): void {
		this.#close();
		for (const reader of this.#readers) reader.end(error);
	}

	/** What is pending becomes pieces. */
	#close(): void {
		let piece: Uint8Array[] = [];
		let size = 0;
		for (const event of this.#pending) {
			if (size > 0 && size + event.byteLength > pieceSize) {
				this.#append(piece);
				piece = [];
				size = 0;
			}
			piece.push(event);
			size += event.byteLength;
		}
		if (size > 0) this.#append(piece);
		this.#pending = [];
	}

	#append(events: readonly Uint8Array[]): void {
		const [first = new Uint8Array()] = events;
		const bytes = events.length === 1 ? first : Buffer.concat(events);
		const { number, events: eventsBefore, size } = this.#last;
		this.#last = { bytes, number: number + 1, events: eventsBefore + events.length, size: size + bytes.byteLength };
		this.#untaken.add(this.#last);
	}
}

/**
 * Pieces that some reader has still to take. They stand side by side and do not refer to each other: one that was taken long ago, and waits for the
 * collector of garbage, would otherwise keep all that came behind it.
 */
class UntakenPieces {
	/** In order, without gaps. */
	readonly #pieces: { readonly piece: Piece; readers: number }[] = [];
	/** Those who take each piece that is added. */
	#readers = 0;

	/** A reader takes what is added from now on. */
	begin(): void {
		this.#readers += 1;
	}

	add(piece: Piece): void {
		if (this.#readers > 0) this.#pieces.push({ piece, readers: this.#readers });
	}

	/** The piece behind one that a reader has taken, for it to take. */
	take({ number }: Piece): Piece | undefined {
		const next = this.#pieces[this.#indexBehind(number)];
		if (next === undefined) return undefined;
		next.readers -= 1;
		this.#forgetTaken();
		return next.piece;
	}

	/** A reader takes nothing behind this one any more. */
	leave({ number }: Piece): void {
		this.#readers -= 1;
		for (const left of this.#pieces.slice(this.#indexBehind(number))) left.readers -= 1;
		this.#forgetTaken();
	}

	#indexBehind(number: number): number {
		return number + 1 - (this.#pieces[0]?.piece.number ?? 0);
	}

	/** All readers take the pieces in their order. */
	#forgetTaken(): void {
		while (this.#pieces[0]?.readers === 0) this.#pieces.shift();
	}
}

interface Waiter {
	resolve(result: IteratorResult<Uint8Array, undefined>): void;
	reject(error: unknown): void;
}

const over: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };

/** A client of a broadcast. It asks for the next piece when it has sent the one before. */
export class BroadcastReader implements AsyncIterableIterator<Uint8Array, undefined> {
	readonly #untaken: UntakenPieces;
	readonly #leave: () => void;
	/** The last piece taken; none before the beginning, and after the end. */
	#taken: Piece | undefined;
	/** The last piece that has been sent. */
	#sent: Piece | undefined;
	#waiter: Waiter | undefined;
	#isOver = false;
	#failure: unknown;

	constructor(untaken: UntakenPieces, leave: () => void) {
		this.#untaken = untaken;
		this.#leave = leave;
	}

	/** Events up to where it has read. */
	get eventsRead(): number {
		return this.#taken?.events ?? Number.POSITIVE_INFINITY;
	}

	/** Bytes up to where it needs none any more. */
	get bytesDone(): number {
		return this.#sent?.size ?? Number.POSITIVE_INFINITY;
	}

	/** Read what comes behind a piece. */
	begin(piece: Piece): void {
		if (this.#isOver) return;
		this.#untaken.begin();
		this.#taken = piece;
		this.#sent = piece;
	}

	/** There may be something for it. */
	wake(): void {
		if (this.#waiter === undefined) return;
		const next = this.#taken && this.#untaken.take(this.#taken);
		if (next === undefined) {
			if (this.#isOver) this.#finish(this.#waiter);
			return;
		}
		this.#taken = next;
		this.#waiter.resolve({ done: false, value: next.bytes });
		this.#waiter = undefined;
	}

	/** End it behind what there is. */
	end(error?: unknown): void {
		this.#isOver = true;
		this.#failure ??= error;
		this.wake();
	}

	/** End it where it stands. */
	fail(error?: unknown): void {
		if (this.#taken !== undefined) this.#untaken.leave(this.#taken);
		this.#taken = undefined;
		this.#leave();
		this.end(error);
	}

	next(): Promise<IteratorResult<Uint8Array, undefined>> {
		this.#sent = this.#taken;
		return new Promise((resolve, reject) => {
			this.#waiter = { resolve, reject };
			this.wake();
		});
	}

	async return(): Promise<IteratorResult<Uint8Array, undefined>> {
		this.fail();
		return over;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	#finish(waiter: Waiter): void {
		this.#waiter = undefined;
		this.#leave();
		const failure = this.#failure;
		this.#failure = undefined;
		if (failure === undefined) waiter.resolve(over);
		else waiter.reject(failure);
	}
}
