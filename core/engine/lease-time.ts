import type { Clock } from "../contract/index.ts";
import { toTimestamp } from "./clock.ts";

/**
 * Part of a lease by which the clocks of two nodes may differ. Whoever holds a lease counts on it by its own clock until it ends;
 * everybody else leaves the work alone for so much longer. A third makes 3.3 seconds of the default lease.
 */
const toleratedSkew = 1 / 3;

/** Leases that ended before this time are nobody's any more, however the clocks go. `lease` is in seconds. */
export function toLapsedBefore(clock: Clock, lease: number): string {
	return toTimestamp(clock.now() - lease * toleratedSkew * 1_000_000);
}

/** When a lease that is taken now ends. `lease` is in seconds. */
export function toExpiry(clock: Clock, lease: number): string {
	return toTimestamp(clock.now() + lease * 1_000_000);
}

/** Milliseconds from one renewal to the next. */
export function toRenewalInterval(lease: number): number {
	return (lease * 1_000) / 3;
}
