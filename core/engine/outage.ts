import { setTimeout as delay } from "node:timers/promises";
import { isSvcError } from "../contract/index.ts";

const shortestWait = 50;
const longestWait = 1_000;

export interface OutageOptions {
	/** Whether there is no point in trying again. */
	readonly isOver: () => boolean;
	/** Called once, with the first failure. */
	readonly onOutage: (error: unknown) => void;
}

/** Do something that needs the storage, again and again for as long as the storage is not available. */
export async function outlastOutage(attempt: () => Promise<void>, { isOver, onOutage }: OutageOptions): Promise<void> {
	for (let wait = shortestWait; ; wait = Math.min(wait * 2, longestWait)) {
		try {
			return await attempt();
		} catch (error) {
			if (!isSvcError(error, "SVC_UNAVAILABLE") || isOver()) throw error;
			if (wait === shortestWait) onOutage(error);
			await delay(wait);
		}
	}
}
