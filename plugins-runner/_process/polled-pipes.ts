import { closeSync, readSync } from "node:fs";
import { type Channel, creditWindowBytes, maxCopiedPayloadBytes } from "./protocol.ts";

/** Milliseconds for which the pipes of a process are not watched: most processes end within them, and all their output is read at once. */
const watchDelayMs = 10;
/** Maximum bytes of one read. */
const maxReadBytes = 64 * 1024;
const readBuffer = Buffer.allocUnsafeSlow(maxReadBytes);

interface PolledPipesOptions {
	/** Descriptors of the reading ends, which must be non-blocking. */
	readonly pipes: readonly (readonly [Channel, number])[];
	/** Takes bytes. Up to `maxCopiedPayloadBytes` are valid only until the function returns. */
	onData(channel: Channel, bytes: Buffer): void;
	/** Called for a pipe that must be watched from now on. The callee closes it. `passed` is the number of bytes already passed on. */
	onWatch(channel: Channel, descriptor: number, passed: number): void;
}

/**
 * Pipes of a process that has just started. Watching them at once would cost more than everything else that the launcher does for a short
 * process.
 */
export class PolledPipes {
	readonly #options: PolledPipesOptions;
	#pipes: readonly (readonly [Channel, number])[];
	readonly #timer: NodeJS.Timeout;

	constructor(options: PolledPipesOptions) {
		this.#options = options;
		this.#pipes = options.pipes;
		// In a turn of the event loop, exits are handled after timers. Because of the immediate, an exit that has already happened is handled
		// first.
		this.#timer = setTimeout(() => setImmediate(() => this.#watch()), watchDelayMs);
	}

	get isEmpty(): boolean {
		return this.#pipes.length === 0;
	}

	/**
	 * Must be called when the process has exited. Reads its remaining output. A pipe that is not at its end is passed to `onWatch`: another
	 * process holds it open, or it contains more than the server takes at once.
	 */
	finish(): void {
		for (const [channel, descriptor] of this.#removePipes()) {
			const { passed, isEnded } = this.#read(channel, descriptor);
			if (isEnded) closeSync(descriptor);
			else this.#options.onWatch(channel, descriptor, passed);
		}
	}

	/** Closes the pipes without reading them. */
	close(): void {
		for (const [, descriptor] of this.#removePipes()) closeSync(descriptor);
	}

	#watch(): void {
		for (const [channel, descriptor] of this.#removePipes()) this.#options.onWatch(channel, descriptor, 0);
	}

	#removePipes(): readonly (readonly [Channel, number])[] {
		const pipes = this.#pipes;
		this.#pipes = [];
		clearTimeout(this.#timer);
		return pipes;
	}

	/** Reads to the end of the pipe, or until no bytes are available at present or the credit window is nearly used up. */
	#read(channel: Channel, descriptor: number): { readonly passed: number; readonly isEnded: boolean } {
		let passed = 0;
		while (passed < creditWindowBytes - maxReadBytes) {
			let length: number;
			try {
				length = readSync(descriptor, readBuffer);
			} catch (error) {
				return { passed, isEnded: (error as NodeJS.ErrnoException).code !== "EAGAIN" };
			}
			if (length === 0) return { passed, isEnded: true };
			passed += length;
			const bytes = readBuffer.subarray(0, length);
			this.#options.onData(channel, length <= maxCopiedPayloadBytes ? bytes : Buffer.from(bytes));
		}
		return { passed, isEnded: false };
	}
}
