import { Socket } from "node:net";
import { creditWindowBytes, maxCopiedPayloadBytes } from "./protocol.ts";
import type { Terminal } from "./terminal.ts";

/** Maximum bytes of one read: the default capacity of a pipe on Linux. */
const maxReadBytes = 64 * 1024;
/**
 * Memory shared by all readers with little output, which is most of them. Memory of its own for each reader would become garbage with each
 * process.
 */
let sharedBuffer: Buffer | undefined;

interface ChannelReaderOptions {
	/** Descriptor of a pipe, which the reader closes at the end, or a terminal. */
	readonly source: number | Terminal;
	/** Returns memory for the bytes of a pipe; called again after each `onData`. Default: the reader allocates it. */
	readonly nextBuffer?: () => Buffer;
	/**
	 * Takes the bytes. Without `nextBuffer`, a read of up to `maxCopiedPayloadBytes` is valid only until the function returns; the memory of a
	 * larger read is not reused.
	 */
	onData(bytes: Buffer): void;
	onEnd(): void;
}

/** Reads one channel of a process, as long as the consumer has given credit for more bytes. */
export class ChannelReader {
	/** Bytes that were passed on. */
	passedBytes = 0;
	readonly #stream: Pick<Socket, "pause" | "resume" | "destroy">;
	readonly #options: ChannelReaderOptions;
	#credit = creditWindowBytes;
	/** `held`: reading is paused. `left`: another process reads the pipe. */
	#state: "reading" | "held" | "left" = "reading";
	#isEnded = false;

	constructor(options: ChannelReaderOptions) {
		this.#options = options;
		this.#stream = typeof options.source === "number" ? this.#openPipe(options.source) : this.#openTerminal(options.source);
	}

	get isEnded(): boolean {
		return this.#isEnded;
	}

	/** True if the reader reads nothing although the process may have written: no credit is left, or reading is paused or handed over. */
	get isBlocked(): boolean {
		return !this.#isEnded && (this.#state !== "reading" || this.#credit <= 0);
	}

	addCredit(bytes: number): void {
		const wasBlocked = this.isBlocked;
		this.#credit += bytes;
		if (wasBlocked && !this.isBlocked) this.#stream.resume();
	}

	/** Pauses reading. Until it is resumed, not a single byte is read from a pipe. */
	pause(): void {
		this.#state = "held";
		this.#stream.pause();
	}

	resume(): void {
		this.#state = "reading";
		if (!this.#isEnded && this.#credit > 0) this.#stream.resume();
	}

	/** Stops reading for good, because another process reads the pipe now. The reader has not ended until `end` is called. */
	detach(): void {
		this.#state = "left";
		this.#stream.destroy();
	}

	/** Stops reading and closes the source. */
	end(): void {
		if (this.#isEnded) return;
		this.#isEnded = true;
		this.#stream.destroy();
		this.#options.onEnd();
	}

	/**
	 * Lets Node read into memory that the reader provides. Otherwise Node would read ahead, and those bytes would be lost to another reader.
	 */
	#openPipe(descriptor: number): Socket {
		const { nextBuffer } = this.#options;
		sharedBuffer ??= Buffer.allocUnsafeSlow(maxReadBytes);
		let readBuffer = nextBuffer === undefined ? sharedBuffer : nextBuffer();
		const onread = {
			buffer: () => readBuffer,
			callback: (length: number) => {
				const bytes = readBuffer.subarray(0, length);
				if (nextBuffer === undefined && length <= maxCopiedPayloadBytes) return this.#passOn(bytes, false);
				// Copy the bytes, because other readers reuse the shared memory before so many bytes are consumed. From now on, use memory of this
				// reader alone.
				this.#passOn(readBuffer === sharedBuffer ? Buffer.from(bytes) : bytes, false);
				readBuffer = nextBuffer === undefined ? Buffer.allocUnsafeSlow(maxReadBytes) : nextBuffer();
			},
		};
		const options = { fd: descriptor, readable: true, writable: false, onread };
		// End at the `end` event, because `close` is emitted one turn of the event loop later.
		return this.#watch(new Socket(options).on("end", () => this.end()).resume());
	}

	#openTerminal({ stream, decode }: Terminal): Terminal["stream"] {
		stream.on("data", (bytes: Buffer) => {
			const { output, ended } = decode(bytes);
			this.#passOn(output, ended);
		});
		return this.#watch(stream);
	}

	#watch<S extends Socket>(stream: S): S {
		stream.on("error", () => this.end());
		stream.on("close", () => {
			if (this.#state !== "left") this.end();
		});
		return stream;
	}

	#passOn(bytes: Buffer, isEnded: boolean): void {
		if (this.#isEnded) return;
		this.#credit -= bytes.length;
		this.passedBytes += bytes.length;
		if (this.#credit <= 0) this.#stream.pause();
		if (bytes.length > 0) this.#options.onData(bytes);
		if (isEnded) this.end();
	}
}
