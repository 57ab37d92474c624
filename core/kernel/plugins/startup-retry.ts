import { isSvcError, type Logger, type Storage } from "../../contract/index.ts";
import { outlastOutage } from "../../lib/retry-while-unavailable.ts";

/**
 * Do a step of the start: for as long as the storage is away, where other processes use it, or where it says that this passes; once,
 * where it is this one's alone.
 */
export type Persist = (attempt: () => Promise<void>) => Promise<void>;

/** `signal` ends the waiting: the step fails then. */
export function createPersist(parts: { readonly storage: Storage; readonly logger: Logger; readonly signal: AbortSignal }): Persist {
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
		await outlastOutage(tryOnce, {
			isOver: () => isFinal || signal.aborted,
			signal,
			onOutage: (error) => logger.warn("storage is away; the start is tried again until it is there", { error }),
		});
	};
}
