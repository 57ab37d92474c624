import { isSvcError, type Logger, type Storage } from "../../contract/index.ts";
import { retryWhileUnavailable } from "../../lib/retry-while-unavailable.ts";

/**
 * Performs a step of the start, and repeats it while the storage is unavailable (`SVC_UNAVAILABLE`). If the storage serves this process
 * only, repeats it only after an error with the fact `retry_after`. Rejects with any other error.
 */
export type StartupRetry = (attempt: () => Promise<void>) => Promise<void>;

/** Creates the retry of startup steps. When `signal` aborts, a step that waits for the storage rejects with its last error. */
export function createStartupRetry(parts: {
	readonly storage: Storage;
	readonly logger: Logger;
	readonly signal: AbortSignal;
}): StartupRetry {
	const { storage, logger, signal } = parts;
	return async (attempt) => {
		let isFinal = false;
		const tryOnce = async () => {
			try {
				await attempt();
			} catch (error) {
				isFinal = storage.capabilities.shared !== true && !(isSvcError(error) && "retry_after" in error.facts);
				throw error;
			}
		};
		await retryWhileUnavailable(tryOnce, {
			shouldGiveUp: () => isFinal || signal.aborted,
			signal,
			onUnavailable: (error) => logger.warn("storage is away; the start is tried again until it is there", { error }),
		});
	};
}
