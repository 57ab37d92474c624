import { setImmediate } from "node:timers/promises";
import { wait } from "../../lib/wait.ts";

/** How work that is not urgent leaves room for what is: small calls of the storage, and four times as long for everybody else. */
export interface Pace {
	/** Nothing new begins once it has aborted. */
	readonly signal: AbortSignal;
	/** Whether it has gone on for as long as it may; what has been begun is brought to its end. */
	isOver(): boolean;
	/** Make one call that concerns at most `limit` records, and give way afterwards. */
	run<T>(call: (limit: number) => Promise<T>): Promise<T>;
}

/** Most records in one call. */
const mostRecords = 500;
const fewestRecords = 20;
/** Milliseconds that a call should take: those that take longer concern fewer records the next time. */
const slowCall = 25;
const quickCall = 8;
/** Milliseconds of work before a pause, which is this many times as long as the work was. */
const workBeforePause = 10;
const pauseFactor = 4;
const longestPause = 2_000;

export function createPace(signal: AbortSignal, mostMilliseconds = Number.POSITIVE_INFINITY): Pace {
	const end = performance.now() + mostMilliseconds;
	let limit = 100;
	let worked = 0;

	return {
		signal,
		isOver: () => performance.now() >= end,
		async run(call) {
			const begin = performance.now();
			const result = await call(limit);
			const took = performance.now() - begin;
			// It shrinks faster than it grows: a slow removal counts for more than the quick look before it.
			if (took > slowCall) limit = Math.max(fewestRecords, Math.floor(limit / 2));
			else if (took < quickCall) limit = Math.min(mostRecords, Math.ceil(limit * 1.25));
			worked += took;
			if (worked < workBeforePause) await setImmediate();
			else {
				await wait(Math.min(longestPause, worked * pauseFactor), signal);
				worked = 0;
			}
			return result;
		},
	};
}
