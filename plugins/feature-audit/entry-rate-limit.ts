/** Limits on the number of entries of one kind. */
export interface EntryBounds {
	/** Length of the time window in milliseconds. */
	readonly window: number;
	/** Maximum number of entries with the same key in a window. */
	readonly alike: number;
	/** Maximum number of all entries in a window. */
	readonly all: number;
}

/** Limits for refused requests. */
export const refusalBounds: EntryBounds = { window: 60_000, alike: 3, all: 60 };
/** Limits for datastore changes by runs, which may store the same values all the time. */
export const runBounds: EntryBounds = { window: 3_600_000, alike: 1, all: 60 };

/** Limits how many entries are recorded in a time window, so that repeated requests cannot fill the record. */
export class EntryRateLimit {
	readonly #now: () => number;
	readonly #bounds: EntryBounds;
	#begun = 0;
	#count = 0;
	#skipped = 0;
	readonly #alike = new Map<string, number>();

	/**
	 * Creates a limit.
	 * @param now Returns milliseconds of a monotonic clock.
	 */
	constructor(now: () => number, bounds: EntryBounds) {
		this.#now = now;
		this.#bounds = bounds;
	}

	/** Returns true if the request with this key must be recorded. */
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

	/** Reverts an admission if the request failed and left no entry. `skipped` is the number that the entry would have contained. */
	giveBack(key: string, skipped: number): void {
		this.#skipped += skipped;
		const alike = this.#alike.get(key);
		// The window of the admission has ended, and its counts were cleared.
		if (alike === undefined) return;
		this.#count -= 1;
		this.#alike.set(key, alike - 1);
	}

	/** Returns the number of entries that were skipped since the last call. */
	takeSkipped(): number {
		const skipped = this.#skipped;
		this.#skipped = 0;
		return skipped;
	}
}
