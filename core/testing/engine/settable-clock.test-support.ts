import { type EngineClock, getSystemClock, MonotonicTime } from "../../kernel/basics/clock.ts";

/** The clock of a machine that somebody sets. */
export interface SettableClock extends EngineClock {
	/** Put it so many seconds from the right time. */
	set(seconds: number): void;
	/** Nothing passes any more, as for a process that is stopped. */
	stop(): void;
}

/** @param seconds how far it is from the right time at first */
export function createSettableClock(seconds = 0): SettableClock {
	const right = getSystemClock();
	const rising = new MonotonicTime();
	let shift = seconds * 1_000_000;
	// A process that starts counts what passes from what the clock says then.
	const begun = shift;
	let stoppedAt: number | undefined;
	const clock: SettableClock = {
		steady: () => (stoppedAt ?? right.steady()) + begun,
		wall: () => right.wall() + shift,
		now: () => rising.read(clock.wall(), clock.steady()),
		isOutOfSync: () => false,
		set(next) {
			shift = next * 1_000_000;
		},
		stop() {
			stoppedAt = right.steady();
		},
	};
	return clock;
}
