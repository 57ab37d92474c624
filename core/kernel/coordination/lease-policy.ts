import { type EngineClock, fromTimestamp, toTimestamp } from "../basics/clock.ts";

/**
 * Part of a lease for which everybody else leaves the work alone when it has ended, while whoever held it brings it to its end: that
 * takes a moment, and two nodes never know the storage's time to the microsecond. A third makes 3.3 seconds of the default lease.
 */
const toleratedSkew = 1 / 3;

/** Leases that ended before this time are nobody's any more, however the clocks go. `lease` is in seconds. */
export function toLapsedBefore(clock: EngineClock, lease: number): string {
	return toTimestamp(clock.steady() - lease * toleratedSkew * 1_000_000);
}

/** The same for who would take over what others held. A node whose clock is off takes over nothing. */
export function toAbandonedBefore(clock: EngineClock, lease: number): string {
	return clock.isOff() ? "" : toLapsedBefore(clock, lease);
}

/** When a lease that is taken now ends. `lease` is in seconds. */
export function toExpiry(clock: EngineClock, lease: number): string {
	return toTimestamp(clock.steady() + lease * 1_000_000);
}

/** Milliseconds until a lease that ends at `expiry` is nobody's any more. `lease` is in seconds. */
export function untilAbandoned(expiry: string, clock: EngineClock, lease: number): number {
	return (fromTimestamp(expiry) + lease * toleratedSkew * 1_000_000 - clock.steady()) / 1_000;
}

/** Milliseconds from one renewal to the next. */
export function toRenewalInterval(lease: number): number {
	return (lease * 1_000) / 3;
}

/** Milliseconds; a storage that is back should not find everybody waiting for long. */
const longestRetry = 1_000;

/** Milliseconds from a renewal that failed to the next. */
export function toRetryInterval(lease: number): number {
	return Math.min(toRenewalInterval(lease), longestRetry);
}
