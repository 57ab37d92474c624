import type { Clock } from "../../contract/index.ts";

/** Time as the engine reads it, in microseconds since 1970. Somebody sets clocks; what waits, or is held, must not notice. */
export interface EngineClock extends Clock {
	/** What people read, and what is in order by it. Never goes back, and never stands still either. */
	now(): number;
	/** Only passes, at its own pace, whoever sets which clock: for what is held, delayed or repeated. */
	steady(): number;
	/** As the clock is set at this moment, for what is planned by date and time of day. May go back. */
	wall(): number;
	/** Whether the clock of this machine is far from the time of the other nodes: what looks abandoned from here need not be. */
	isOff(): boolean;
}

/** Part of its pace that a time loses while it is ahead of a clock that was set back, until they agree again. */
const slowing = 0.1;
/** Microseconds; less is the difference between two readings. */
const noticeable = 50_000;

/** A time made from a clock that may be set: it never goes back, and goes on while it is ahead of the clock. */
export class RisingTime {
	#last = 0;
	#steady = 0;

	/** @param wall what the clock says now @param steady what has passed, from anywhere on */
	read(wall: number, steady: number): number {
		const passed = steady - this.#steady;
		const next = this.#last + passed;
		this.#steady = steady;
		if (Math.abs(wall - next) <= noticeable) this.#last = next;
		// Behind: the machine slept, or its clock was set. Ahead: the clock was set back, and what was told already stays told.
		else this.#last = wall > next ? wall : Math.max(wall, this.#last + Math.ceil(passed * (1 - slowing)));
		return this.#last;
	}
}

/** Steps of the clock that are remembered; older ones count as none. */
const maxSteps = 1_000;

/**
 * Remembers when a time departed from the monotonic clock and by how much, so that the seconds between two of its readings can be told
 * without the steps in between: a clock that is set must not make a run look an hour long.
 */
export class ClockSteps {
	/** From `at` on, readings are `ahead` microseconds ahead of the monotonic clock. Oldest first. */
	readonly #steps: { readonly at: number; readonly ahead: number }[] = [];

	/** Notes a reading of the time beside one of the monotonic clock, both in microseconds. */
	note(time: number, monotonic: number): void {
		const ahead = time - monotonic;
		const last = this.#steps.at(-1);
		if (last !== undefined && Math.abs(ahead - last.ahead) <= noticeable) return;
		this.#steps.push({ at: time, ahead });
		if (this.#steps.length > maxSteps) this.#steps.shift();
	}

	/** Microseconds that passed from one reading of the time to another, never less than 0. Readings of other processes are compared as they are. */
	between(start: number, end: number): number {
		return Math.max(0, end - start - (this.#aheadAt(end) - this.#aheadAt(start)));
	}

	#aheadAt(time: number): number {
		const step = this.#steps.findLast(({ at }) => at <= time) ?? this.#steps[0];
		return step?.ahead ?? 0;
	}
}

/** Of this machine's clock, which all engines of a process share. */
const machineSteps = new ClockSteps();

/** Seconds between two timestamps that this process made, whatever its clock was set to in between; the difference for those of other processes. */
export function secondsBetween(start: string, end: string): number {
	return machineSteps.between(fromTimestamp(start), fromTimestamp(end)) / 1_000_000;
}

/** The clock of this machine. */
class SystemClock implements EngineClock {
	readonly #origin = Date.now() * 1_000 - elapsed();
	readonly #rising = new RisingTime();

	now(): number {
		const steady = this.steady();
		const now = this.#rising.read(this.wall(), steady);
		machineSteps.note(now, steady);
		return now;
	}

	steady(): number {
		return this.#origin + elapsed();
	}

	wall(): number {
		return Date.now() * 1_000;
	}

	isOff(): boolean {
		return false;
	}
}

function elapsed(): number {
	return Math.floor(performance.now() * 1_000);
}

const systemClock = new SystemClock();

/** The clock of this machine: one for the whole process, so that all of its engines agree on the time. */
export function createSystemClock(): EngineClock {
	return systemClock;
}

/** A clock from outside, such as one of a test, says all there is to say about the time. */
export function toEngineClock(clock: Clock | EngineClock): EngineClock {
	if ("steady" in clock) return clock;
	const now = () => clock.now();
	return { now, steady: now, wall: now, isOff: () => false };
}

/** Texts of the last few seconds that were asked for: that which it is, and those in which leases that begin now end. */
const seconds = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
const texts = ["", "", "", ""];
let oldest = 0;

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ` for microseconds since 1970 (decisions 4). Many in a row are within few seconds, whose texts are kept. */
export function toTimestamp(microseconds: number): string {
	const whole = Math.floor(microseconds);
	const second = Math.floor(whole / 1_000_000);
	let place = seconds.indexOf(second);
	if (place < 0) {
		place = oldest;
		oldest = (oldest + 1) % seconds.length;
		texts[place] = new Date(second * 1_000).toISOString().slice(0, -4);
		seconds[place] = second;
	}
	return `${texts[place]}${String(1_000_000 + whole - second * 1_000_000).slice(1)}Z`;
}

/** Microseconds since 1970 of a timestamp made by `toTimestamp`. */
export function fromTimestamp(timestamp: string): number {
	return Date.parse(`${timestamp.slice(0, 23)}Z`) * 1000 + Number(timestamp.slice(23, 26));
}
