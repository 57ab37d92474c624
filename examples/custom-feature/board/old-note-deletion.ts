import type { BackgroundLoop } from "svc-automation/feature";
import type { Board } from "./board.ts";

/** Age in seconds after which a note is deleted: a day. */
const maxAge = 86_400;

/** Background loop that deletes old notes. */
export class OldNoteDeletion implements BackgroundLoop {
	readonly #board: Board;
	readonly #interval: number;
	#timer: NodeJS.Timeout | undefined;
	#working: Promise<unknown> = Promise.resolve();

	/** @param interval milliseconds between two deletions */
	constructor(board: Board, interval: number) {
		this.#board = board;
		this.#interval = interval;
	}

	start(): void {
		this.#timer = setInterval(() => {
			// If a deletion fails because the storage is unavailable, the next one deletes the notes.
			this.#working = this.#board.deleteOlderThan(maxAge).catch(() => undefined);
		}, this.#interval);
	}

	async stop(): Promise<void> {
		clearInterval(this.#timer);
		await this.#working;
	}
}
