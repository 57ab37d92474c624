import type { Clock, Storage } from "../../contract/index.ts";

/** Time of the engine, in microseconds since 1970. Setting a clock must not change how long leases, delays and intervals last. */
export interface EngineClock extends Clock {
	/** Returns the time for timestamps that users see and by which records are sorted. It always advances, even if a clock is set back. */
	now(): number;
	/** Returns the time for leases, delays and intervals. It advances evenly, even if a clock is set. */
	steady(): number;
	/** Returns the current setting of the clock, for schedules by date and time of day. It may go back. */
	wall(): number;
	/**
	 * Returns true if the clock of this machine differs too much from the time of the other nodes. This node must then take over nothing,
	 * because leases may only seem to have expired.
	 */
	isOutOfSync(): boolean;
}

/** Fraction of its pace that a `MonotonicTime` loses while it is ahead of a clock that was set back. */
const slowdown = 0.1;
/** Microseconds by which a reading may deviate from the expected time before the clock counts as set. */
const maxReadingJitterUs = 50_000;

/**
 * Time that follows a clock which may be set, but never goes back itself. If the clock is set back, the time advances at nine tenths of its
 * pace until both agree.
 */
export class MonotonicTime {
	#last = 0;
	#lastSteady = 0;

	/**
	 * Returns the current time, in microseconds.
	 *
	 * @param wall microseconds that the clock shows now
	 * @param steady monotonic microseconds from any origin
	 */
	read(wall: number, steady: number): number {
		const passed = steady - this.#lastSteady;
		const next = this.#last + passed;
		this.#lastSteady = steady;
		if (Math.abs(wall - next) <= maxReadingJitterUs) this.#last = next;
		// If the clock is ahead, the machine was suspended or the clock was set forward. Otherwise the clock was set back; the time must not
		// follow it, because new timestamps would then be earlier than stored ones.
		else this.#last = wall > next ? wall : Math.max(wall, this.#last + Math.ceil(passed * (1 - slowdown)));
		return this.#last;
	}
}

/** Maximum number of clock steps that `ClockSteps` remembers. */
const maxSteps = 1_000;

/**
 * Records when a clock was set, and by how much, so that durations can be computed without these steps. Otherwise a run would seem an hour
 * longer if the clock was set forward by an hour meanwhile.
 */
export class ClockSteps {
	/** Clock steps, the oldest first. From `at` on, readings are `ahead` microseconds ahead of the monotonic clock. */
	readonly #steps: { readonly at: number; readonly ahead: number }[] = [];

	/** Records a step if a reading of the time and one of the monotonic clock, both in microseconds, have a new difference. */
	recordReading(time: number, monotonic: number): void {
		const ahead = time - monotonic;
		const last = this.#steps.at(-1);
		if (last !== undefined && Math.abs(ahead - last.ahead) <= maxReadingJitterUs) return;
		this.#steps.push({ at: time, ahead });
		if (this.#steps.length > maxSteps) this.#steps.shift();
	}

	/**
	 * Returns the microseconds that passed between two readings of the time, never less than 0. The result is exact only for readings of this
	 * process, because only the steps of its own clock are known.
	 */
	microsecondsBetween(start: number, end: number): number {
		return Math.max(0, end - start - (this.#aheadAt(end) - this.#aheadAt(start)));
	}

	/** Returns by how many microseconds this reading of the time was ahead of the monotonic clock. */
	#aheadAt(time: number): number {
		const step = this.#steps.findLast(({ at }) => at <= time) ?? this.#steps[0];
		return step?.ahead ?? 0;
	}
}

/** Steps of the clock of this machine. All engines of a process share them. */
const machineSteps = new ClockSteps();

/**
 * Returns the seconds that passed between two timestamps of this process, even if its clock was set meanwhile. The result is exact only for
 * timestamps of this process.
 */
export function secondsBetween(start: string, end: string): number {
	return machineSteps.microsecondsBetween(fromTimestamp(start), fromTimestamp(end)) / 1_000_000;
}

class SystemClock implements EngineClock {
	readonly #origin = Date.now() * 1_000 - elapsedUs();
	readonly #rising = new MonotonicTime();

	now(): number {
		const steady = this.steady();
		const now = this.#rising.read(this.wall(), steady);
		machineSteps.recordReading(now, steady);
		return now;
	}

	steady(): number {
		return this.#origin + elapsedUs();
	}

	wall(): number {
		return Date.now() * 1_000;
	}

	isOutOfSync(): boolean {
		return false;
	}
}

/** Returns monotonic microseconds since the process started. */
function elapsedUs(): number {
	return Math.floor(performance.now() * 1_000);
}

const systemClock = new SystemClock();

/** Returns the clock of this machine. It is one object for the whole process, so that all engines agree on the time. */
export function getSystemClock(): EngineClock {
	return systemClock;
}

/**
 * Converts a clock to an engine clock. For a plain clock, such as that of a test, `now`, `steady` and `wall` return the same time, and it
 * is never out of sync.
 */
export function toEngineClock(clock: Clock | EngineClock): EngineClock {
	if ("steady" in clock) return clock;
	const now = () => clock.now();
	return { now, steady: now, wall: now, isOutOfSync: () => false };
}

/**
 * The time that all nodes of one storage share. If several processes may use the storage, the time is that of the storage. The clock of
 * this machine only measures how much time has passed since the last measurement. If each node used its own clock, a node with a wrong
 * clock would take over the work of every other node.
 *
 * If only one process can use the storage, the time is that of this machine. A plain `Clock` from an embedding program or a test is never
 * corrected; only an `EngineClock` is.
 */
export class StorageClock implements EngineClock {
	readonly #storage: Pick<Storage, "capabilities" | "now">;
	readonly #machine: EngineClock;
	readonly #isCorrected: boolean;
	readonly #tolerance: number;
	readonly #rising = new MonotonicTime();
	/** Microseconds by which the storage is ahead of the steady time of this process; undefined before the first measurement. */
	#offsetUs: number | undefined;

	/** @param tolerance seconds by which this machine's clock may differ from the storage's before `isOutOfSync` returns true */
	constructor(storage: Pick<Storage, "capabilities" | "now">, clock: Clock | EngineClock, tolerance: number) {
		this.#storage = storage;
		this.#machine = toEngineClock(clock);
		this.#isCorrected = this.#machine === clock;
		this.#tolerance = tolerance;
	}

	now(): number {
		return this.#offsetUs === undefined ? this.#machine.now() : this.#rising.read(this.steady(), this.#machine.steady());
	}

	steady(): number {
		return this.#machine.steady() + (this.#offsetUs ?? 0);
	}

	wall(): number {
		return this.#offsetUs === undefined ? this.#machine.wall() : this.steady();
	}

	/**
	 * Reads the clock of the storage, and corrects `#offsetUs`. Rejects with the error of the storage. The storage reads its clock at an
	 * unknown moment between request and response, so the new offset is known only as a range. An earlier offset within the range is kept, so
	 * that a slow response does not make it less exact. Does nothing if only one process can use the storage or the clock is never corrected.
	 */
	async measure(): Promise<void> {
		if (!this.#isCorrected || this.#storage.capabilities.shared !== true || this.#storage.now === undefined) return;
		const requestTime = this.#machine.steady();
		const storageTime = await this.#storage.now();
		const responseTime = this.#machine.steady();
		const offsetUs = this.#offsetUs ?? storageTime - Math.floor((requestTime + responseTime) / 2);
		this.#offsetUs = Math.min(Math.max(offsetUs, storageTime - responseTime), storageTime - requestTime);
	}

	isOutOfSync(): boolean {
		return Math.abs(this.ahead()) > this.#tolerance;
	}

	/** Returns the seconds by which this machine's clock is ahead of the storage's; 0 if only one process can use the storage. */
	ahead(): number {
		return this.#offsetUs === undefined ? 0 : (this.#machine.wall() - this.steady()) / 1_000_000;
	}
}

/**
 * Cache of formatted seconds, because formatting a date is slow. Most timestamps are in the current second, or in that in which a lease
 * taken now expires.
 */
const cachedSeconds = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
const cachedTexts = ["", "", "", ""];
let oldestEntry = 0;

/** Returns a time, in microseconds since 1970, as `YYYY-MM-DDTHH:MM:SS.ffffffZ`. Timestamps have six decimals everywhere. */
export function toTimestamp(microseconds: number): string {
	const whole = Math.floor(microseconds);
	const second = Math.floor(whole / 1_000_000);
	let entry = cachedSeconds.indexOf(second);
	if (entry < 0) {
		entry = oldestEntry;
		oldestEntry = (oldestEntry + 1) % cachedSeconds.length;
		cachedTexts[entry] = new Date(second * 1_000).toISOString().slice(0, -4);
		cachedSeconds[entry] = second;
	}
	return `${cachedTexts[entry]}${String(1_000_000 + whole - second * 1_000_000).slice(1)}Z`;
}

/** Returns the microseconds since 1970 of a timestamp made by `toTimestamp`. */
export function fromTimestamp(timestamp: string): number {
	return Date.parse(`${timestamp.slice(0, 23)}Z`) * 1000 + Number(timestamp.slice(23, 26));
}
