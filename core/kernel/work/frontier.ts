import { fromTimestamp, toTimestamp } from "../basics/clock.ts";

/** Microseconds by which clocks of nodes may differ, and for which a write may be under way, without delaying what it stores. */
const margin = 5_000_000;

/**
 * From which time on there is anything left to claim: of what is claimed in the order of a time, nothing waits before what was claimed last. A
 * database that may not clear away what it has removed, because somebody looks at it as it was, goes through all of that again for whoever asks
 * from the beginning.
 *
 * What comes in behind it all the same is found when everything is looked at again.
 */
export class Frontier {
	readonly #interval: number;
	readonly #passes: () => number;
	#reached = 0;
	#wholeAt = Number.NEGATIVE_INFINITY;

	/**
	 * @param interval milliseconds after which everything is looked at again; default 10,000
	 * @param passes milliseconds, from anywhere on
	 */
	constructor(interval = 10_000, passes: () => number = () => performance.now()) {
		this.#interval = interval;
		this.#passes = passes;
	}

	/** A condition on the time, and what narrows nothing where everything is to be looked at. */
	ahead(): { readonly gte: string } {
		const now = this.#passes();
		if (now - this.#wholeAt < this.#interval) return { gte: toTimestamp(Math.max(0, this.#reached - margin)) };
		this.#wholeAt = now;
		return { gte: "" };
	}

	/** Something of this time has been claimed. */
	reach(timestamp: string): void {
		this.#reached = Math.max(this.#reached, fromTimestamp(timestamp));
	}

	/** Something may have come in anywhere. */
	forget(): void {
		this.#wholeAt = Number.NEGATIVE_INFINITY;
	}
}
