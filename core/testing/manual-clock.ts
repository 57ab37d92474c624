import type { Clock } from "../contract/index.ts";

/** A clock whose time changes only when a test advances it. */
export interface ManualClock extends Clock {
	/** Advances the clock. Throws `RangeError` for a negative number, because a clock never goes backwards. */
	advance(milliseconds: number): void;
}

/**
 * Creates a manual clock.
 *
 * @param start initial date and time, such as `2030-01-02T03:04:05Z`
 */
export function createManualClock(start = "2030-01-01T00:00:00Z"): ManualClock {
	let now = Date.parse(start) * 1_000;
	if (Number.isNaN(now)) throw new RangeError(`start: "${start}" is not a date and time such as 2030-01-02T03:04:05Z`);
	return {
		now: () => now,
		advance(milliseconds) {
			if (!(milliseconds >= 0)) throw new RangeError(`milliseconds: ${milliseconds} is not a non-negative number`);
			now += Math.round(milliseconds * 1_000);
		},
	};
}
