/** Longest time of a timer; beyond it, it would ring at once. */
const longest = 2_147_483_647;

/** Rings once at the time it was last set to. */
export class Alarm {
	readonly #now: () => number;
	readonly #ring: () => void;
	#timer: NodeJS.Timeout | undefined;

	/** @param now microseconds since 1970 */
	constructor(now: () => number, ring: () => void) {
		this.#now = now;
		this.#ring = ring;
	}

	/** Microseconds since 1970; undefined: not at all. */
	set(time: number | undefined): void {
		clearTimeout(this.#timer);
		if (time === undefined) return;
		const milliseconds = Math.ceil((time - this.#now()) / 1_000);
		// Far away it rings too early, and is set again by whoever hears it.
		this.#timer = setTimeout(this.#ring, Math.min(Math.max(0, milliseconds), longest));
	}
}
