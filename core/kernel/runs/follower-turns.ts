/** Followers that are given a chunk in one turn of the event loop. */
export const together = 32;

/**
 * Lets few followers at a time have what is new. To hand it to hundreds in one turn of the event loop would hold up the run that
 * prints it, and everybody else.
 */
export class FollowerTurns {
	#waiting: (() => void)[] = [];
	// Index of the first: shifting a long array for each follower would be slow.
	#head = 0;
	#left = together;
	#isPlanned = false;

	/** Call `go`: now, or in a later turn, in the order in which they ask. */
	take(go: () => void): void {
		this.#plan();
		if (this.#left === 0) {
			this.#waiting.push(go);
			return;
		}
		this.#left -= 1;
		go();
	}

	#plan(): void {
		if (this.#isPlanned) return;
		this.#isPlanned = true;
		setImmediate(() => this.#begin());
	}

	#begin(): void {
		this.#isPlanned = false;
		const next = this.#waiting.slice(this.#head, this.#head + together);
		this.#head += next.length;
		this.#left = together - next.length;
		if (next.length > 0) this.#plan();
		if (this.#head === this.#waiting.length || this.#head > 1_024) {
			this.#waiting = this.#waiting.slice(this.#head);
			this.#head = 0;
		}
		for (const go of next) go();
	}
}
