import { Socket } from "node:net";
import { creditWindowBytes, maxCopiedPayloadBytes } from "./protocol.ts";
import type { Terminal } from "./terminal.ts";

/** Bytes that one read takes at most: as many as the pipes of the system hold, unless they are widened. */
const readSize = 64 * 1024;
/** Room of all who read little at once, as most processes print: memory for each of them would be thrown away with each process. */
let sharedRoom: Buffer | undefined;

interface OutputReaderOptions {
	/** The descriptor of a pipe, which is closed in the end; or a terminal. */
	readonly source: number | Terminal;
	/** Memory that the bytes from a pipe are read to; asked for anew when `onData` has been given some. Default: the reader sees to it. */
	readonly nextBuffer?: () => Buffer;
	/** Take bytes. Without `place`, those of `maxCopiedPayloadBytes` or less are there until it returns. */
	onData(bytes: Buffer): void;
	onEnd(): void;
}

/** Reads one channel of a process, never further ahead than whoever takes the bytes has given credit for. */
export class OutputReader {
	/** Bytes that it has passed on. */
	passedBytes = 0;
	readonly #stream: Pick<Socket, "pause" | "resume" | "destroy">;
	readonly #options: OutputReaderOptions;
	#credit = creditWindowBytes;
	/** Whether it reads, has been told not to, or has left the pipe to somebody else. */
	#state: "reading" | "held" | "left" = "reading";
	#ended = false;

	constructor(options: OutputReaderOptions) {
		this.#options = options;
		this.#stream = typeof options.source === "number" ? this.#openPipe(options.source) : this.#openTerminal(options.source);
	}

	get isEnded(): boolean {
		return this.#ended;
	}

	/** Whether it waits for whoever takes the bytes rather than for the process. */
	get isBlocked(): boolean {
		return !this.#ended && (this.#state !== "reading" || this.#credit <= 0);
	}

	addCredit(bytes: number): void {
		const blocked = this.isBlocked;
		this.#credit += bytes;
		if (blocked && !this.isBlocked) this.#stream.resume();
	}

	/** Read nothing until `goOn`: from a pipe not a byte more. */
	pause(): void {
		this.#state = "held";
		this.#stream.pause();
	}

	resume(): void {
		this.#state = "reading";
		if (!this.#ended && this.#credit > 0) this.#stream.resume();
	}

	/** Somebody else reads the pipe from here on; it has not ended before `end` says so. */
	detach(): void {
		this.#state = "left";
		this.#stream.destroy();
	}

	/** Read no further. */
	end(): void {
		if (this.#ended) return;
		this.#ended = true;
		this.#stream.destroy();
		this.#options.onEnd();
	}

	/** Into memory of its own choice: what would be read ahead without being asked for could not be left to somebody else. */
	#openPipe(descriptor: number): Socket {
		const { nextBuffer } = this.#options;
		sharedRoom ??= Buffer.allocUnsafeSlow(readSize);
		let room = nextBuffer === undefined ? sharedRoom : nextBuffer();
		const onread = {
			buffer: () => room,
			callback: (length: number) => {
				const bytes = room.subarray(0, length);
				if (nextBuffer === undefined && length <= maxCopiedPayloadBytes) return this.#take(bytes, false);
				// Others read into the shared room before so many bytes are used; from here on there is room of its own.
				this.#take(room === sharedRoom ? Buffer.from(bytes) : bytes, false);
				room = nextBuffer === undefined ? Buffer.allocUnsafeSlow(readSize) : nextBuffer();
			},
		};
		const options = { fd: descriptor, readable: true, writable: false, onread };
		// Sooner than that it is closed, which takes another turn of the loop.
		return this.#watch(new Socket(options).on("end", () => this.end()).resume());
	}

	#openTerminal({ stream, decode }: Terminal): Terminal["stream"] {
		stream.on("data", (bytes: Buffer) => {
			const { output, ended } = decode(bytes);
			this.#take(output, ended);
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

	#take(bytes: Buffer, ended: boolean): void {
		if (this.#ended) return;
		this.#credit -= bytes.length;
		this.passedBytes += bytes.length;
		if (this.#credit <= 0) this.#stream.pause();
		if (bytes.length > 0) this.#options.onData(bytes);
		if (ended) this.end();
	}
}
