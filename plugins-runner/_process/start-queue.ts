/**
 * Maximum number of starts in one turn of the event loop. With fewer, the launcher's additional turns cost more than the server gains by
 * earlier reports.
 */
const maxConsecutive = 4;

/**
 * Runs starts of processes, a few in each turn of the event loop. Each start blocks the launcher until the new process has begun its
 * program. Between the turns, the launcher reports processes that have ended. The server has further work for those, so the reports must
 * not wait until all other processes are started.
 */
export class StartQueue {
	readonly #waiting: (() => void)[] = [];
	#isPlanned = false;

	add(start: () => void): void {
		this.#waiting.push(start);
		if (!this.#isPlanned) this.#run();
	}

	#run(): void {
		for (const start of this.#waiting.splice(0, maxConsecutive)) start();
		this.#isPlanned = true;
		setImmediate(() => {
			this.#isPlanned = false;
			if (this.#waiting.length > 0) this.#run();
		});
	}
}
