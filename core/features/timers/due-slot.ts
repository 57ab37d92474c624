import type { Schedule } from "./cron-schedule.ts";

/** What is to be done about a timer whose time has come; all times in milliseconds since 1970. */
export interface DueSlot {
	/** The slot to fire; undefined when all that were missed are too old. */
	readonly slot: number | undefined;
	/** The slot after that; undefined: never again. */
	readonly next: number | undefined;
}

/**
 * Of the slots from `planned` to now, the latest, if it is no older than `grace`: after a time away a timer fires once at most,
 * and not for what is long past.
 */
export function findDueSlot(schedule: Schedule, planned: number, given: { readonly now: number; readonly grace: number }): DueSlot {
	// Slots are whole milliseconds.
	const now = Math.floor(given.now);
	const earliest = Math.floor(given.now - given.grace);
	const next = schedule.next(now);
	let before = Math.max(Math.floor(planned), earliest - 1);
	if (!isBy(schedule.next(before), now)) return { slot: planned >= earliest ? planned : undefined, next };
	// The latest is behind every moment from which the next one is still due: found by halves, as there may be very many.
	let after = now;
	while (after - before > 1) {
		const middle = Math.floor((before + after) / 2);
		if (isBy(schedule.next(middle), now)) before = middle;
		else after = middle;
	}
	return { slot: schedule.next(before), next };
}

function isBy(slot: number | undefined, now: number): boolean {
	return slot !== undefined && slot <= now;
}
