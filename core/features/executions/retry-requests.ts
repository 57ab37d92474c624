import { setTimeout as delay } from "node:timers/promises";
import { isSvcError } from "../../contract/index.ts";

const attempts = 8;

/** Repeats a request while the service is unreachable, for example during a restart. Throws the error of the ninth failure. */
export async function retryRequest<T>(
	ask: () => Promise<T>,
	{ signal, onReconnect }: { readonly signal: AbortSignal; readonly onReconnect: (error: Error) => void },
): Promise<T> {
	for (let failures = 1; ; failures += 1) {
		try {
			return await ask();
		} catch (error) {
			if (signal.aborted || !isSvcError(error, "SVC_UNAVAILABLE") || failures > attempts) throw error;
			onReconnect(error);
			await delay(Math.min(100 * 2 ** failures, 5_000), undefined, { signal }).catch(() => signal.throwIfAborted());
		}
	}
}
