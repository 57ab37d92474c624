import { closeSync, constants, openSync } from "node:fs";
import { ChannelReader } from "./channel-reader.ts";

/** Once the process has exited: milliseconds between checks, and milliseconds for which other processes may hold the pipe open. */
const checkIntervalMs = 50;
const lingerMs = 1_000;

interface BorrowedPipeOptions {
	/** Path below `/proc` of a pipe that the launcher holds. */
	readonly path: string;
	/** Returns the memory for the next read; called again after each `onData`. */
	nextBuffer(): Buffer;
	/** Takes the bytes that were read. */
	onData(bytes: Buffer): void;
	/** Called when nothing more will be read. `isAbandoned` is true if other processes still hold the pipe open. Not called after `close`. */
	onEnd(isAbandoned: boolean): void;
}

/** Pipe with bulk output that the server reads itself, instead of the launcher. */
export class DirectPipe {
	readonly #reader: ChannelReader;
	#ticker: NodeJS.Timeout | undefined;
	#lingeredMs = 0;
	#isAbandoned = false;
	#isClosed = false;

	/** Throws if the system does not permit opening the pipe. */
	constructor({ path, nextBuffer, onData, onEnd }: BorrowedPipeOptions) {
		this.#reader = new ChannelReader({
			source: openPipe(path),
			nextBuffer,
			onData,
			onEnd: () => {
				clearInterval(this.#ticker);
				if (!this.#isClosed) onEnd(this.#isAbandoned);
			},
		});
	}

	addCredit(bytes: number): void {
		this.#reader.addCredit(bytes);
	}

	/**
	 * Limits the wait for the end of the pipe. Must be called when the process has exited, because processes that it started may still hold
	 * the pipe open. Time in which the consumer takes no bytes does not count.
	 */
	expectEnd(): void {
		if (this.#reader.isEnded) return;
		this.#ticker ??= setInterval(() => {
			if (!this.#reader.isBlocked) this.#lingeredMs += checkIntervalMs;
			if (this.#lingeredMs < lingerMs) return;
			this.#isAbandoned = true;
			this.#reader.end();
		}, checkIntervalMs);
	}

	/** Stops reading, without a call of `onEnd`. */
	close(): void {
		this.#isClosed = true;
		this.#reader.end();
	}
}

function openPipe(path: string): number {
	const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		// The end of a pipe is reported only if it was opened for writing after this descriptor, and the process may have exited already.
		closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
	} catch (error) {
		closeSync(descriptor);
		throw error;
	}
	return descriptor;
}
