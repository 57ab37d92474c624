import { fromTimestamp, toTimestamp } from "../basics/clock.ts";

/** Microseconds by which clocks of nodes may differ, and for which a write may be under way, without delaying what it stores. */
const margin = 5_000_000;
/** The same as it mostly is. */
const usual = 1_000_000;

/** So many times as long as a look at everything takes pass before the next one. */
const rest = 50;
/** Milliseconds that pass at most. */
const longest = 60_000;

/**
 * From which time on there is anything left to claim: of what is claimed in the order of a time, nothing waits before what was claimed last. A
 * database that may not clear away what it has removed, because somebody looks at it as it was, goes through all of that again for whoever asks
 * from the beginning.
 *
 * What comes in behind it all the same is found when everything is looked at again. That goes on, look by look, until it has come to where looks were
 * before: a look claims no more than there are places for.
 */
export class Frontier {
	readonly #interval: number;
	readonly #passes: () => number;
	#reached = 0;
	/** Where looks have come to that began further back; undefined when they are at their end. */
	#passing: number | undefined;
	#isWide = false;
	/** The earliest that is known to have come in since the last look. */
	#expected = Number.POSITIVE_INFINITY;
	#wholeAt = Number.NEGATIVE_INFINITY;
	#isWhole = false;
	/** Milliseconds from one look at everything to the next. */
	#pause: number;

	/**
	 * @param interval milliseconds after which everything is looked at again, unless that takes long; default 10,000
	 * @param passes milliseconds, from anywhere on
	 */
	constructor(interval = 10_000, passes: () => number = () => performance.now()) {
		this.#interval = interval;
		this.#pause = interval;
		this.#passes = passes;
	}

	/** Whether the next look is at everything. */
	get isWholeDue(): boolean {
		return this.#passes() - this.#wholeAt >= this.#pause;
	}

	/** A condition on the time, and what narrows nothing where everything is to be looked at. */
	ahead(): { readonly gte: string } {
		this.widen();
		return this.near();
	}

	/**
	 * The same for looks that follow each other closely: it leaves out what comes in later than most, as to look for that costs the more the faster
	 * others come in. Who asks for this calls `expect`, and `widen` now and then for what others have stored.
	 */
	near(): { readonly gte: string } {
		const [isWide, expected] = [this.#isWide, this.#expected];
		this.#isWide = false;
		this.#expected = Number.POSITIVE_INFINITY;
		if (this.isWholeDue) {
			this.#wholeAt = this.#passes();
			this.#isWhole = true;
			this.#passing = 0;
			return { gte: "" };
		}
		if (isWide) this.#passing ??= this.#reached - margin + usual;
		if (expected < (this.#passing ?? this.#reached) - usual) this.#passing = expected;
		return { gte: toTimestamp(Math.max(0, (this.#passing ?? this.#reached) - usual)) };
	}

	/** Something of this time has come in. */
	expect(timestamp: string): void {
		this.#expected = Math.min(this.#expected, fromTimestamp(timestamp));
	}

	/** The next look leaves out nothing of the last seconds. */
	widen(): void {
		this.#isWide = true;
	}

	/** Something of this time has been claimed, the earliest there was. */
	reach(timestamp: string): void {
		this.#measure();
		const time = fromTimestamp(timestamp);
		if (this.#passing !== undefined) this.#passing = time < this.#reached ? Math.max(this.#passing, time) : undefined;
		this.#reached = Math.max(this.#reached, time);
	}

	/** Nothing is left of what was ahead; nor of anything before `timestamp`, if that is known. */
	done(timestamp?: string): void {
		this.#measure();
		if (timestamp !== undefined) this.reach(timestamp);
		this.#passing = undefined;
	}

	/** Something may have come in anywhere. */
	forget(): void {
		this.#wholeAt = Number.NEGATIVE_INFINITY;
	}

	/** What a look at everything has taken decides when the next one is. */
	#measure(): void {
		if (!this.#isWhole) return;
		this.#isWhole = false;
		this.#pause = Math.max(this.#interval, Math.min(rest * (this.#passes() - this.#wholeAt), longest));
	}
}
