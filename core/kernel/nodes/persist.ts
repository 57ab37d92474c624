import type { Logger, Storage } from "../../contract/index.ts";
import { outlastOutage } from "../work/outage.ts";

/** Do a step of the start: for as long as the storage is away, where other processes use it; once, where it is this one's alone. */
export type Persist = (attempt: () => Promise<void>) => Promise<void>;

/** `signal` ends the waiting: the step fails then. */
export function createPersist(parts: { readonly storage: Storage; readonly logger: Logger; readonly signal: AbortSignal }): Persist {
	const { storage, logger, signal } = parts;
	return async (attempt) => {
		if (storage.capabilities.shared !== true) return attempt();
		await outlastOutage(attempt, {
			isOver: () => signal.aborted,
			signal,
			onOutage: (error) => logger.warn("storage is away; the start is tried again until it is there", { error }),
		});
	};
}
