import { setTimeout as delay } from "node:timers/promises";

const kept = 32;

/**
 * Makes refusals of unknown users take as long as those of wrong passwords. A directory answers at once for an entry it does not
 * have, but spends time on the password's hash for one it has; how much, the refusals of real users show.
 */
export class RefusalPace {
	readonly #durations: number[] = [];
	#next = 0;

	/** The milliseconds that refusing a wrong password has taken. */
	record(milliseconds: number): void {
		this.#durations[this.#next] = milliseconds;
		this.#next = (this.#next + 1) % kept;
	}

	/** Wait until what has taken `milliseconds` has taken as long as one of the recorded refusals. */
	async even(milliseconds: number, signal: AbortSignal): Promise<void> {
		// One by chance rather than a mean: the times then scatter alike, too.
		const like = this.#durations[Math.floor(Math.random() * this.#durations.length)] ?? 0;
		if (like > milliseconds) await delay(like - milliseconds, undefined, { signal });
	}
}
