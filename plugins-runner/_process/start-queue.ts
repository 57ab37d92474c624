/** Starts in a row: with fewer the launcher takes more turns of its event loop than the server gains by hearing sooner. */
const mostInARow = 4;

/**
 * Starts what is asked for, a few at a time. Each start holds the launcher up until the new process has become its program: of those that have
 * ended meanwhile the server is to know before all others have been started, as it has more to do for them.
 */
export class StartQueue {
	readonly #waiting: (() => void)[] = [];
	#isPlanned = false;

	add(start: () => void): void {
		this.#waiting.push(start);
		if (!this.#isPlanned) this.#run();
	}

	#run(): void {
		for (const start of this.#waiting.splice(0, mostInARow)) start();
		this.#isPlanned = true;
		setImmediate(() => {
			this.#isPlanned = false;
			if (this.#waiting.length > 0) this.#run();
		});
	}
}
