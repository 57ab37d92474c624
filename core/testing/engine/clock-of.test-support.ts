import type { EngineClock } from "../../kernel/basics/clock.ts";

/** Returns a clock whose every time is the one that `now` returns, in microseconds. It is never out of sync. */
export function clockOf(now: () => number): EngineClock {
	return { now, steady: now, wall: now, isOutOfSync: () => false };
}
