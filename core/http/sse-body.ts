import { StreamEnded } from "./stream-authorization.ts";

/** A comment and a blank line: parsers skip it, proxies and clients see that the stream lives. */
const heartbeatBytes = Buffer.from(":\n\n");

export interface EventBodyOptions {
	/** Seconds. */
	readonly heartbeat: number;
	/** Ends the stream; the source must end with it. */
	readonly signal: AbortSignal;
	/** Called when the stream has ended, whoever ended it; perhaps more than once. */
	readonly onEnd: () => void;
	/** Called with what the source failed with. */
	readonly onFailure: (error: unknown) => void;
}

type Result = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]>>;

const over: Result = { done: true, value: undefined };

/**
 * What an event stream is sent from. It begins with a heartbeat, so that the client sees the headers at once.
 *
 * Whoever sends it reads piece after piece, and for hundreds of clients what a `ReadableStream` does for each piece takes longer than all else:
 * `getReader` therefore gives a reader that asks the source itself. Every other way to read it is that of any stream.
 */
export class EventBody extends ReadableStream<Uint8Array> {
	readonly #reader: EventReader;

	/** @param source asked for the next bytes when those before have been taken */
	constructor(source: AsyncIterator<Uint8Array>, options: EventBodyOptions) {
		const reader = new EventReader(source, options);
		const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
			const { done, value } = await reader.read();
			if (!done) controller.enqueue(value);
			else close(controller);
		};
		super({ pull, cancel: () => reader.cancel() }, { highWaterMark: 0 });
		this.#reader = reader;
	}

	override getReader(options: { mode: "byob" }): ReadableStreamBYOBReader;
	override getReader(): ReadableStreamDefaultReader<Uint8Array>;
	override getReader(options?: { mode: "byob" }): ReadableStreamDefaultReader<Uint8Array> | ReadableStreamBYOBReader {
		if (options !== undefined) return super.getReader(options);
		// Nobody reads by it, so that nothing is pulled; but the stream is locked.
		const lock = super.getReader();
		return this.#reader.lockedBy(lock);
	}
}

/** Reads a source for one client, one piece at a time. */
class EventReader implements ReadableStreamDefaultReader<Uint8Array> {
	/** Resolves when the stream has ended. */
	readonly closed: Promise<undefined>;
	readonly #source: AsyncIterator<Uint8Array>;
	readonly #options: EventBodyOptions;
	readonly #timer: NodeJS.Timeout;
	/** What comes before the next piece of the source. */
	#ready: Uint8Array[] = [heartbeatBytes];
	/** The client has taken everything and waits. */
	#answer: ((result: Result) => void) | undefined;
	#isAsked = false;
	#isOver = false;
	#lock: Pick<ReadableStreamDefaultReader, "releaseLock"> | undefined;
	#tellClosed: () => void = () => {};

	constructor(source: AsyncIterator<Uint8Array>, options: EventBodyOptions) {
		this.#source = source;
		this.#options = options;
		this.closed = new Promise((resolve) => {
			const tell = () => resolve(undefined);
			this.#tellClosed = tell;
		});
		this.#timer = setInterval(() => {
			// A client that does not read needs no sign of life.
			if (this.#answer !== undefined) this.#give(heartbeatBytes);
		}, options.heartbeat * 1_000);
		const { signal } = options;
		if (signal.aborted) this.#onAbort();
		else signal.addEventListener("abort", () => this.#onAbort(), { once: true });
	}

	read(): Promise<Result> {
		const piece = this.#ready.shift();
		if (piece !== undefined) return Promise.resolve({ done: false, value: piece });
		if (this.#isOver) {
			this.#tellClosed();
			return Promise.resolve(over);
		}
		return new Promise((resolve) => {
			this.#answer = resolve;
			this.#ask();
		});
	}

	async cancel(): Promise<void> {
		this.#ready = [];
		this.#leave();
		this.#tellClosed();
	}

	/** The same for somebody who has the stream for themselves. */
	lockedBy(lock: Pick<ReadableStreamDefaultReader, "releaseLock">): this {
		this.#lock = lock;
		return this;
	}

	releaseLock(): void {
		this.#lock?.releaseLock();
	}

	#ask(): void {
		if (this.#isAsked) return;
		this.#isAsked = true;
		this.#source.next().then(this.#take, this.#fail);
	}

	readonly #take = ({ done, value }: IteratorResult<Uint8Array, unknown>): void => {
		this.#isAsked = false;
		if (this.#isOver) return;
		if (done === true) return this.#end();
		this.#timer.refresh();
		this.#give(value);
	};

	readonly #fail = (error: unknown): void => {
		if (this.#isOver) return;
		this.#options.onFailure(error);
		this.#end();
	};

	#onAbort(): void {
		const { signal, onEnd } = this.#options;
		clearInterval(this.#timer);
		if (!(signal.reason instanceof StreamEnded)) return onEnd();
		// At once, whether or not the client reads: it comes back, and is told whether it still may.
		this.#give(Buffer.from(`: ${signal.reason.message}\n\n`));
		this.#leave();
	}

	#give(bytes: Uint8Array): void {
		const answer = this.#answer;
		this.#answer = undefined;
		if (answer === undefined) this.#ready.push(bytes);
		else answer({ done: false, value: bytes });
	}

	/** Nothing more is taken from the source. */
	#leave(): void {
		if (this.#isOver) return;
		this.#end();
		void this.#source.return?.().catch(() => {});
	}

	#end(): void {
		this.#isOver = true;
		clearInterval(this.#timer);
		this.#options.onEnd();
		const answer = this.#answer;
		this.#answer = undefined;
		if (answer === undefined) return;
		this.#tellClosed();
		answer(over);
	}
}

function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
	try {
		controller.close();
	} catch {
		// The client has canceled the stream meanwhile.
	}
}
