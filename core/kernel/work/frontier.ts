import { fromTimestamp, toTimestamp } from "../basics/clock.ts";

/** Microseconds by which clocks of nodes may differ, and for which a write may be under way, without delaying what it stores. */
const margin = 5_000_000;

/**
 * From which time on there is anything left to claim: of what is claimed in the order of a time, nothing waits before what was claimed last. A
 * database that may not clear away what it has removed, because somebody looks at it as it was, goes through all of that again for whoever asks
 * from the beginning.
 *
 * What comes in behind it all the same is found when everything is looked at again. That goes on, look by look, until nothing is left of it: a look
 * claims no more than there are places for.
 */
export class Frontier {
	readonly #interval: number;
	readonly #passes: () => number;
	#reached = 0;
	/** Where the look at everything has come to; undefined when it is at its end. */
	#passing: number | undefined;
	#wholeAt = Number.NEGATIVE_INFINITY;

	/**
	 * @param interval milliseconds after which everything is looked at again; default 10,000
	 * @param passes milliseconds, from anywhere on
	 */
	constructor(interval = 10_000, passes: () => number = () => performance.now()) {
		this.#interval = interval;
		this.#passes = passes;
	}

	/** Whether the next look is at everything. */
	get isWholeDue(): boolean {
		return this.#passes() - this.#wholeAt >= this.#interval;
	}

	/** A condition on the time, and what narrows nothing where everything is to be looked at. */
	ahead(): { readonly gte: string } {
		if (!this.isWholeDue) return { gte: toTimestamp(Math.max(0, (this.#passing ?? this.#reached) - margin)) };
		this.#wholeAt = this.#passes();
		this.#passing = 0;
		return { gte: "" };
	}

	/** Something of this time has been claimed, the earliest there was. */
	reach(timestamp: string): void {
		const time = fromTimestamp(timestamp);
		this.#reached = Math.max(this.#reached, time);
		if (this.#passing !== undefined) this.#passing = Math.max(this.#passing, time);
	}

	/** Nothing is left of what was ahead; nor of anything before `timestamp`, if that is known. */
	done(timestamp?: string): void {
		if (timestamp !== undefined) this.reach(timestamp);
		this.#passing = undefined;
	}

	/** Something may have come in anywhere. */
	forget(): void {
		this.#wholeAt = Number.NEGATIVE_INFINITY;
	}
}
