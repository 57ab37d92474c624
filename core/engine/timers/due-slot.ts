import type { Schedule } from "./schedule.ts";

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
export function findDueSlot(
	schedule: Schedule,
	planned: number,
	{ now, grace }: { readonly now: number; readonly grace: number },
): DueSlot {
	const earliest = now - grace;
	let slot = planned >= earliest ? planned : undefined;
	let candidate = schedule.next(Math.max(planned, earliest - 1));
	while (candidate !== undefined && candidate <= now) {
		slot = candidate;
		candidate = schedule.next(candidate);
	}
	return { slot, next: candidate };
}
