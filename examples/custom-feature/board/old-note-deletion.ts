import type { Options } from "svc-automation";
import type { BackgroundLoop } from "svc-automation/feature";
import type { Board } from "./board.ts";

/** Background loop that deletes old notes. */
export class OldNoteDeletion implements BackgroundLoop {
	readonly #board: Board;
	readonly #options: Options["board"];
	#timer: NodeJS.Timeout | undefined;
	#working: Promise<unknown> = Promise.resolve();

	constructor(board: Board, options: Options["board"]) {
		this.#board = board;
		this.#options = options;
	}

	start(): void {
		const { keep_days: days, deletion_interval: interval } = this.#options;
		this.#timer = setInterval(() => {
			// If a deletion fails because the storage is unavailable, the next one deletes the notes.
			this.#working = this.#board.deleteOlderThan(days * 86_400).catch(() => undefined);
		}, interval * 1_000);
	}

	async stop(): Promise<void> {
		clearInterval(this.#timer);
		await this.#working;
	}
}
