import type { Socket } from "node:net";
import type { ReadStream } from "node:tty";
import { windowSize } from "./protocol.ts";

interface OutputReaderOptions {
	readonly stream: Socket | ReadStream;
	/** Turns what was read into output, and may see the end in it. */
	readonly decode?: (bytes: Buffer) => { readonly output: Buffer; readonly ended: boolean };
	onData(bytes: Buffer): void;
	onEnd(): void;
}

/** Reads one channel of a process, never further ahead than the server has given credit for. */
export class OutputReader {
	readonly #stream: Socket | ReadStream;
	readonly #options: OutputReaderOptions;
	#credit = windowSize;
	#ended = false;

	constructor(options: OutputReaderOptions) {
		this.#options = options;
		this.#stream = options.stream;
		this.#stream.on("data", (bytes: Buffer) => this.#take(bytes));
		this.#stream.on("error", () => this.end());
		this.#stream.on("close", () => this.end());
	}

	get ended(): boolean {
		return this.#ended;
	}

	/** Whether it waits for the server rather than for the process. */
	get blocked(): boolean {
		return !this.#ended && this.#credit <= 0;
	}

	addCredit(bytes: number): void {
		const blocked = this.blocked;
		this.#credit += bytes;
		if (blocked && this.#credit > 0) this.#stream.resume();
	}

	/** Read no further. */
	end(): void {
		if (this.#ended) return;
		this.#ended = true;
		this.#stream.destroy();
		this.#options.onEnd();
	}

	#take(bytes: Buffer): void {
		if (this.#ended) return;
		const { output, ended } = this.#options.decode?.(bytes) ?? { output: bytes, ended: false };
		this.#credit -= output.length;
		if (this.#credit <= 0) this.#stream.pause();
		if (output.length > 0) this.#options.onData(output);
		if (ended) this.end();
	}
}
