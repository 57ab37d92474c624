/** How many entries of a kind there may be. */
export interface EntryBounds {
	/** Milliseconds for which the others hold. */
	readonly window: number;
	/** Entries that are alike. */
	readonly alike: number;
	/** All entries. */
	readonly all: number;
}

/** What is refused again and again. */
export const refusalBounds: EntryBounds = { window: 60_000, alike: 3, all: 60 };
/** What runs store, as they do day and night. */
export const runBounds: EntryBounds = { window: 3_600_000, alike: 1, all: 60 };

/** Keeps those who do the same again and again from filling the record. */
export class EntryLimit {
	readonly #now: () => number;
	readonly #bounds: EntryBounds;
	#begun = 0;
	#count = 0;
	#skipped = 0;
	readonly #alike = new Map<string, number>();

	/** @param now milliseconds that only pass */
	constructor(now: () => number, bounds: EntryBounds) {
		this.#now = now;
		this.#bounds = bounds;
	}

	/** Whether this one is to be recorded. */
	admits(key: string): boolean {
		const { window, alike: mostAlike, all: most } = this.#bounds;
		if (this.#now() - this.#begun >= window) {
			this.#begun = this.#now();
			this.#count = 0;
			this.#alike.clear();
		}
		const alike = (this.#alike.get(key) ?? 0) + 1;
		if (this.#count >= most || alike > mostAlike) {
			this.#skipped += 1;
			return false;
		}
		this.#count += 1;
		this.#alike.set(key, alike);
		return true;
	}

	/** What was admitted has not happened, so that nothing was said of what was skipped. */
	giveBack(key: string, skipped: number): void {
		this.#skipped += skipped;
		const alike = this.#alike.get(key);
		// Of a time that is over nothing is counted any more.
		if (alike === undefined) return;
		this.#count -= 1;
		this.#alike.set(key, alike - 1);
	}

	/** How many were not recorded since the last call. */
	takeSkipped(): number {
		const skipped = this.#skipped;
		this.#skipped = 0;
		return skipped;
	}
}
