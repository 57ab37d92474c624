import { StreamUnauthorizedError } from "./stream-authorization.ts";

/** Heartbeat: a comment and an empty line. Parsers skip it; proxies and clients see that the stream is alive. */
const heartbeatBytes = Buffer.from(":\n\n");

export interface SseBodyOptions {
	/** Seconds without a piece after which a heartbeat is sent. */
	readonly heartbeatSeconds: number;
	/** Ends the stream when it aborts. The source must also end when it aborts. */
	readonly signal: AbortSignal;
	/** Called when the stream has ended, whether by the client, the source or the signal. May be called more than once. */
	readonly onEnd: () => void;
	/** Called with the error of the source. */
	readonly onFailure: (error: unknown) => void;
}

type ReadResult = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]>>;

const doneResult: ReadResult = { done: true, value: undefined };

/**
 * Response body of an event stream. It begins with a heartbeat, so that the client gets the headers at once.
 *
 * `getReader` returns a reader that reads the source directly. With hundreds of clients, the work of a `ReadableStream` for each
 * piece takes longer than everything else. All other ways to read the body work like those of any stream.
 */
export class SseBody extends ReadableStream<Uint8Array> {
	readonly #reader: EventReader;

	/** @param source read for the next bytes when the client has taken the previous ones */
	constructor(source: AsyncIterator<Uint8Array>, options: SseBodyOptions) {
		const reader = new EventReader(source, options);
		const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
			const { done, value } = await reader.read();
			if (!done) controller.enqueue(value);
			else closeController(controller);
		};
		super({ pull, cancel: () => reader.cancel() }, { highWaterMark: 0 });
		this.#reader = reader;
	}

	override getReader(options: { mode: "byob" }): ReadableStreamBYOBReader;
	override getReader(): ReadableStreamDefaultReader<Uint8Array>;
	override getReader(options?: { mode: "byob" }): ReadableStreamDefaultReader<Uint8Array> | ReadableStreamBYOBReader {
		if (options !== undefined) return super.getReader(options);
		// This reader only locks the stream. It never reads, so the stream does not pull from the source.
		const lock = super.getReader();
		return this.#reader.lockedBy(lock);
	}
}

/** Reads a source for one client, one piece at a time. */
class EventReader implements ReadableStreamDefaultReader<Uint8Array> {
	/** Resolves when the stream has ended. */
	readonly closed: Promise<undefined>;
	readonly #source: AsyncIterator<Uint8Array>;
	readonly #options: SseBodyOptions;
	readonly #timer: NodeJS.Timeout;
	/** Bytes to deliver before the next piece of the source. */
	#queuedPieces: Uint8Array[] = [heartbeatBytes];
	/** Answers the pending read of a client that has taken everything. Undefined while no read is pending. */
	#resolveRead: ((result: ReadResult) => void) | undefined;
	/** True while a read of the source is pending. */
	#isSourceReadPending = false;
	#isEnded = false;
	#lock: Pick<ReadableStreamDefaultReader, "releaseLock"> | undefined;
	#resolveClosed: () => void = () => {};

	constructor(source: AsyncIterator<Uint8Array>, options: SseBodyOptions) {
		this.#source = source;
		this.#options = options;
		this.closed = new Promise((resolve) => {
			const resolveClosed = () => resolve(undefined);
			this.#resolveClosed = resolveClosed;
		});
		this.#timer = setInterval(() => {
			// A client that does not read gets no heartbeats: they would only accumulate.
			if (this.#resolveRead !== undefined) this.#deliver(heartbeatBytes);
		}, options.heartbeatSeconds * 1_000);
		const { signal } = options;
		if (signal.aborted) this.#onAbort();
		else signal.addEventListener("abort", () => this.#onAbort(), { once: true });
	}

	read(): Promise<ReadResult> {
		const piece = this.#queuedPieces.shift();
		if (piece !== undefined) return Promise.resolve({ done: false, value: piece });
		if (this.#isEnded) {
			this.#resolveClosed();
			return Promise.resolve(doneResult);
		}
		return new Promise((resolve) => {
			this.#resolveRead = resolve;
			this.#readSource();
		});
	}

	async cancel(): Promise<void> {
		this.#queuedPieces = [];
		this.#endWithSource();
		this.#resolveClosed();
	}

	/** Returns this reader for a caller that has locked the stream. `releaseLock` then releases that lock. */
	lockedBy(lock: Pick<ReadableStreamDefaultReader, "releaseLock">): this {
		this.#lock = lock;
		return this;
	}

	releaseLock(): void {
		this.#lock?.releaseLock();
	}

	#readSource(): void {
		if (this.#isSourceReadPending) return;
		this.#isSourceReadPending = true;
		this.#source.next().then(this.#onPiece, this.#onSourceError);
	}

	readonly #onPiece = ({ done, value }: IteratorResult<Uint8Array, unknown>): void => {
		this.#isSourceReadPending = false;
		if (this.#isEnded) return;
		if (done === true) return this.#end();
		this.#timer.refresh();
		this.#deliver(value);
	};

	readonly #onSourceError = (error: unknown): void => {
		if (this.#isEnded) return;
		this.#options.onFailure(error);
		this.#end();
	};

	#onAbort(): void {
		const { signal, onEnd } = this.#options;
		clearInterval(this.#timer);
		if (!(signal.reason instanceof StreamUnauthorizedError)) return onEnd();
		// A lost authorization ends the stream at once, even if the client does not read. A client that is still authorized can reconnect.
		this.#deliver(Buffer.from(`: ${signal.reason.message}\n\n`));
		this.#endWithSource();
	}

	/** Answers the pending read with these bytes, or queues them for the next read. */
	#deliver(bytes: Uint8Array): void {
		const resolveRead = this.#resolveRead;
		this.#resolveRead = undefined;
		if (resolveRead === undefined) this.#queuedPieces.push(bytes);
		else resolveRead({ done: false, value: bytes });
	}

	/** Ends the stream, and closes the source, from which nothing more is read. */
	#endWithSource(): void {
		if (this.#isEnded) return;
		this.#end();
		void this.#source.return?.().catch(() => {});
	}

	#end(): void {
		this.#isEnded = true;
		clearInterval(this.#timer);
		this.#options.onEnd();
		const resolveRead = this.#resolveRead;
		this.#resolveRead = undefined;
		if (resolveRead === undefined) return;
		this.#resolveClosed();
		resolveRead(doneResult);
	}
}

function closeController(controller: ReadableStreamDefaultController<Uint8Array>): void {
	try {
		controller.close();
	} catch {
		// The client has canceled the stream in the meantime.
	}
}
