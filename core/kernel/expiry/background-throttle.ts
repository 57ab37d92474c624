import { setImmediate } from "node:timers/promises";
import { wait } from "../../lib/wait.ts";

/** Pace of background work: small storage calls with pauses in between, so that urgent work gets four fifths of the time. */
export interface BackgroundThrottle {
	/** Aborts when no new call may begin. */
	readonly signal: AbortSignal;
	/** Returns true if the maximum duration has passed. The caller may then finish the current page, but must not begin a new one. */
	isOver(): boolean;
	/**
	 * Makes one storage call, which must affect at most `limit` records. Resolves with its result after a pause. Rejects without a pause if
	 * `call` rejects.
	 */
	run<T>(call: (limit: number) => Promise<T>): Promise<T>;
}

/** Maximum, minimum and initial number of records of one call. */
const maxBatch = 500;
const minBatch = 20;
const initialBatch = 100;
/** Milliseconds above which a call is slow; the limit of the next call is then halved. */
const slowCallMs = 25;
/** Milliseconds below which a call is fast; the limit of the next call is then raised by a quarter. */
const fastCallMs = 8;
/** Milliseconds of work that may accumulate before a pause. */
const workBeforePauseMs = 10;
/** Duration of a pause, as a multiple of the work before it. */
const pauseFactor = 4;
const maxPauseMs = 2_000;

/**
 * Creates a pace.
 *
 * @param maxDurationMs milliseconds after which the pace is over; default: never
 */
export function createBackgroundThrottle(signal: AbortSignal, maxDurationMs = Number.POSITIVE_INFINITY): BackgroundThrottle {
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
			// The limit must shrink faster than it grows: reads and removals alternate, and a slow removal must outweigh the fast read before it.
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
