import { isSvcError, type Logger } from "../../contract/index.ts";
import { retryWhileUnavailable } from "../../lib/retry-while-unavailable.ts";
import type { StorageSource } from "./engine-storage.ts";

/**
 * Performs a step of the engine start, and repeats it while the storage is unavailable (`SVC_UNAVAILABLE`). If the storage is not shared,
 * repeats the step only after an error with the fact `retry_after`. Rejects with any other error.
 */
export type RetryStartup = (attempt: () => Promise<void>) => Promise<void>;

/** Creates the retry of startup steps. When `signal` aborts, a step that waits for the storage rejects with its last error. */
export function createRetryStartup(storageSource: StorageSource, logger: Logger, signal: AbortSignal): RetryStartup {
	return async (attempt) => {
		let isFinal = false;
		const tryOnce = async () => {
			try {
				await attempt();
			} catch (error) {
				isFinal = storageSource.current.capabilities.shared !== true && !(isSvcError(error) && "retry_after" in error.facts);
				throw error;
			}
		};
		await retryWhileUnavailable(tryOnce, {
			shouldGiveUp: () => isFinal || signal.aborted,
			signal,
			onUnavailable: (error) => logger.warn("storage is unavailable; the start is retried until it is available", { error }),
		});
	};
}
