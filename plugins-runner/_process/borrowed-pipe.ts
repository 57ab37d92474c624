import { closeSync, constants, openSync } from "node:fs";
import { OutputReader } from "./output-reader.ts";

/** How often it is looked whether others still hold a pipe open after the process has exited, and how long they may. Milliseconds. */
const tick = 50;
const linger = 1_000;

interface BorrowedPipeOptions {
	/** A pipe of a process that the launcher has started, under `/proc`. */
	readonly path: string;
	/** Memory that they are read to, which is asked for anew when `onData` has been given some. */
	nextBuffer(): Buffer;
	/** Take bytes. */
	onData(bytes: Buffer): void;
	/** Nothing more is read; `isLeft`: although others still hold it open. Not called after `close`. */
	onEnd(isLeft: boolean): void;
}

/** A pipe in which much comes, read by the server itself instead of by the launcher. */
export class BorrowedPipe {
	readonly #reader: OutputReader;
	#ticker: NodeJS.Timeout | undefined;
	#lingered = 0;
	#isLeft = false;
	#isClosed = false;

	/** Throws where the system does not let it be opened. */
	constructor({ path, nextBuffer, onData, onEnd }: BorrowedPipeOptions) {
		this.#reader = new OutputReader({
			source: openPipe(path),
			nextBuffer,
			onData,
			onEnd: () => {
				clearInterval(this.#ticker);
				if (!this.#isClosed) onEnd(this.#isLeft);
			},
		});
	}

	addCredit(bytes: number): void {
		this.#reader.addCredit(bytes);
	}

	/** The process has exited: what it has left running may keep the pipe open for a while. Time in which nobody takes the bytes does not count. */
	expectEnd(): void {
		if (this.#reader.isEnded) return;
		this.#ticker ??= setInterval(() => {
			if (!this.#reader.isBlocked) this.#lingered += tick;
			if (this.#lingered < linger) return;
			this.#isLeft = true;
			this.#reader.end();
		}, tick);
	}

	/** Read no further, and tell nobody. */
	close(): void {
		this.#isClosed = true;
		this.#reader.end();
	}
}

function openPipe(path: string): number {
	const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		// The system tells of the end only where somebody has opened it for writing since then, and the process may have exited already.
		closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
	} catch (error) {
		closeSync(descriptor);
		throw error;
	}
	return descriptor;
}
