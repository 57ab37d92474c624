import type { BackgroundLoop } from "svc-automation/feature";
import type { Board } from "./board.ts";

/** Takes down what has hung for a day. */
export class Sweep implements BackgroundLoop {
	readonly #board: Board;
	readonly #interval: number;
	#timer: NodeJS.Timeout | undefined;
	#working: Promise<unknown> = Promise.resolve();

	/** @param interval milliseconds between two looks */
	constructor(board: Board, interval: number) {
		this.#board = board;
		this.#interval = interval;
	}

	start(): void {
		this.#timer = setInterval(() => {
			// What fails now, as the storage is away, is done next time.
			this.#working = this.#board.takeDown(86_400).catch(() => undefined);
		}, this.#interval);
	}

	async stop(): Promise<void> {
		clearInterval(this.#timer);
		await this.#working;
	}
}
