import { isSvcError } from "../contract/index.ts";
import { wait } from "./wait.ts";

const shortestWait = 50;
const longestWait = 1_000;

export interface OutageOptions {
	/** Whether there is no point in trying again. */
	readonly isOver: () => boolean;
	/** Called once, with the first failure. */
	readonly onOutage: (error: unknown) => void;
	/** Ends the wait for the next attempt; `isOver` must be true by then. */
	readonly signal?: AbortSignal;
}

/**
 * Do something that needs the storage, again and again for as long as the storage is not available. An attempt that fails may have
 * stored what it meant to, when only the answer was lost: `isRetry` says that there was one before, whose success must be recognised.
 */
export async function outlastOutage<T>(attempt: (isRetry: boolean) => Promise<T>, { isOver, onOutage, signal }: OutageOptions): Promise<T> {
	for (let pause = shortestWait, isRetry = false; ; pause = Math.min(pause * 2, longestWait), isRetry = true) {
		try {
			return await attempt(isRetry);
		} catch (error) {
			if (!isSvcError(error, "SVC_UNAVAILABLE") || isOver()) throw error;
			if (!isRetry) onOutage(error);
			await wait(pause, signal ?? new AbortController().signal);
			if (isOver()) throw error;
		}
	}
}
