import { isSvcError } from "../contract/index.ts";
import { wait } from "./wait.ts";

const minPauseMs = 50;
const maxPauseMs = 1_000;

/** Options for retries while the storage is unavailable. */
export interface RetryWhileUnavailableOptions {
	/** Returns true if further attempts are pointless. The last error is thrown then. */
	readonly shouldGiveUp: () => boolean;
	/** Called once, with the error of the first failed attempt. */
	readonly onUnavailable: (error: unknown) => void;
	/** Ends the wait for the next attempt. `shouldGiveUp` must return true after the abort, otherwise attempts follow without a pause. */
	readonly signal?: AbortSignal;
}

/**
 * Calls `attempt` until it no longer fails with `SVC_UNAVAILABLE`. Pauses between attempts grow from 50 ms to 1 s.
 *
 * A failed attempt may have been stored although its response was lost. `isRetry` is true for all attempts but the first one: such an
 * attempt must recognise that its write already exists. All other errors are thrown at once.
 */
export async function retryWhileUnavailable<T>(
	attempt: (isRetry: boolean) => Promise<T>,
	{ shouldGiveUp, onUnavailable, signal }: RetryWhileUnavailableOptions,
): Promise<T> {
	for (let pauseMs = minPauseMs, isRetry = false; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs), isRetry = true) {
		try {
			return await attempt(isRetry);
		} catch (error) {
			if (!isSvcError(error, "SVC_UNAVAILABLE") || shouldGiveUp()) throw error;
			if (!isRetry) onUnavailable(error);
			await wait(pauseMs, signal);
			if (shouldGiveUp()) throw error;
		}
	}
}
