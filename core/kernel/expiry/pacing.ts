import { setImmediate } from "node:timers/promises";
import { wait } from "../../lib/wait.ts";

/** Pace of background work: small storage calls, each followed by a pause, so that urgent work gets four fifths of the time. */
export interface Pace {
	/** Aborts if no new call may begin. */
	readonly signal: AbortSignal;
	/** Returns true if the maximum duration has passed. No new page must then be begun, but the current one may be finished. */
	isOver(): boolean;
	/** Makes one call, which must concern at most `limit` records, and returns its result after a pause. Rejects at once if `call` does. */
	run<T>(call: (limit: number) => Promise<T>): Promise<T>;
}

/** Bounds of the number of records of one call. */
const maxBatch = 500;
const minBatch = 20;
const initialBatch = 100;
/** Milliseconds above which a call is slow; the next one then concerns half as many records. */
const slowCallMs = 25;
/** Milliseconds below which a call is fast; the next one then concerns a quarter more records. */
const fastCallMs = 8;
/** Milliseconds of work after which there is a pause. */
const workBeforePauseMs = 10;
/** Duration of a pause, as a multiple of the work before it. */
const pauseFactor = 4;
const maxPauseMs = 2_000;

/**
 * Creates a pace.
 *
 * @param maxDurationMs milliseconds after which the pace is over; default: never
 */
export function createPace(signal: AbortSignal, maxDurationMs = Number.POSITIVE_INFINITY): Pace {
	const end = performance.now() + maxDurationMs;
	let batchLimit = initialBatch;
	let unpausedMs = 0;

	return {
		signal,
		isOver: () => performance.now() >= end,
		async run(call) {
			const callStart = performance.now();
			const result = await call(batchLimit);
			const durationMs = performance.now() - callStart;
			// The limit shrinks faster than it grows. Reads and removals alternate, and a slow removal must outweigh the fast read before
			// it.
			if (durationMs > slowCallMs) batchLimit = Math.max(minBatch, Math.floor(batchLimit / 2));
			else if (durationMs < fastCallMs) batchLimit = Math.min(maxBatch, Math.ceil(batchLimit * 1.25));
			unpausedMs += durationMs;
			if (unpausedMs < workBeforePauseMs) await setImmediate();
			else {
				await wait(Math.min(maxPauseMs, unpausedMs * pauseFactor), signal);
				unpausedMs = 0;
			}
			return result;
		},
	};
}
