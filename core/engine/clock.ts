import type { Clock } from "../contract/index.ts";

/** Wall clock with microseconds that never goes backwards within the process. */
export function createSystemClock(): Clock {
	const origin = Date.now() * 1000 - Math.floor(performance.now() * 1000);
	let offset = 0;
	let last = 0;
	return {
		now() {
			const monotonic = origin + Math.floor(performance.now() * 1000) + offset;
			// Follow adjustments of the system clock forwards, so that long uptimes do not drift.
			const drift = Date.now() * 1000 - monotonic;
			if (Math.abs(drift) > 50_000) offset += drift;
			last = Math.max(last, monotonic + (Math.abs(drift) > 50_000 ? drift : 0));
			return last;
		},
	};
}

let latestSecond = Number.NaN;
let latestText = "";

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ` for microseconds since 1970 (decisions 4). Many in a row are within one second, whose text is kept. */
export function toTimestamp(microseconds: number): string {
	const whole = Math.floor(microseconds);
	const second = Math.floor(whole / 1_000_000);
	if (second !== latestSecond) {
		latestText = new Date(second * 1_000).toISOString().slice(0, -4);
		latestSecond = second;
	}
	return `${latestText}${String(whole - second * 1_000_000).padStart(6, "0")}Z`;
}

/** Microseconds since 1970 of a timestamp made by `toTimestamp`. */
export function fromTimestamp(timestamp: string): number {
	return Date.parse(`${timestamp.slice(0, 23)}Z`) * 1000 + Number(timestamp.slice(23, 26));
}
