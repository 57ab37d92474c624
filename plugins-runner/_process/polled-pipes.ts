import { closeSync, readSync } from "node:fs";
import { type Channel, creditWindowBytes, maxCopiedPayloadBytes } from "./protocol.ts";

/** Milliseconds for which nobody watches what a process prints: most have ended by then, and all they have printed is read at once. */
const patience = 10;
/** Bytes of one read. */
const readSize = 64 * 1024;
const room = Buffer.allocUnsafeSlow(readSize);

interface PolledPipesOptions {
	/** Descriptors of the reading ends, which do not block. */
	readonly pipes: readonly (readonly [Channel, number])[];
	/** Take bytes; those of `maxCopiedPayloadBytes` or less are there until it returns. */
	onData(channel: Channel, bytes: Buffer): void;
	/** To be watched from here on, and closed by whoever does; so many bytes have been passed on. */
	onWatch(channel: Channel, descriptor: number, passed: number): void;
}

/** Pipes of a process that has just begun. To watch each costs more than all else that the launcher does for a short process. */
export class PolledPipes {
	readonly #options: PolledPipesOptions;
	#pipes: readonly (readonly [Channel, number])[];
	readonly #timer: NodeJS.Timeout;

	constructor(options: PolledPipesOptions) {
		this.#options = options;
		this.#pipes = options.pipes;
		// Only when it is certain that the process has not ended meanwhile: its end is seen later in a turn of the loop than timers are.
		this.#timer = setTimeout(() => setImmediate(() => this.#watch()), patience);
	}

	get isEmpty(): boolean {
		return this.#pipes.length === 0;
	}

	/** The process has ended: read what it has left. What others hold open is to be watched. */
	finish(): void {
		for (const [channel, descriptor] of this.#take()) {
			const { passed, isOver } = this.#read(channel, descriptor);
			if (isOver) closeSync(descriptor);
			else this.#options.onWatch(channel, descriptor, passed);
		}
	}

	/** Read nothing more. */
	close(): void {
		for (const [, descriptor] of this.#take()) closeSync(descriptor);
	}

	#watch(): void {
		for (const [channel, descriptor] of this.#take()) this.#options.onWatch(channel, descriptor, 0);
	}

	#take(): readonly (readonly [Channel, number])[] {
		const pipes = this.#pipes;
		this.#pipes = [];
		clearTimeout(this.#timer);
		return pipes;
	}

	/** Up to the end, or until there is nothing for now. */
	#read(channel: Channel, descriptor: number): { readonly passed: number; readonly isOver: boolean } {
		let passed = 0;
		while (passed < creditWindowBytes - readSize) {
			let length: number;
			try {
				length = readSync(descriptor, room);
			} catch (error) {
				return { passed, isOver: (error as NodeJS.ErrnoException).code !== "EAGAIN" };
			}
			if (length === 0) return { passed, isOver: true };
			passed += length;
			const bytes = room.subarray(0, length);
			this.#options.onData(channel, length <= maxCopiedPayloadBytes ? bytes : Buffer.from(bytes));
		}
		return { passed, isOver: false };
	}
}
