import { setTimeout as delay } from "node:timers/promises";
import { RunAborted } from "../../core/contract/index.ts";
import { EngineUnreachable } from "./engine-errors.ts";

/** Milliseconds between two attempts: the first delay, and the maximum. */
const first = 100;
const maxPauseMs = 5_000;

/** Repeats the work while the engine is unreachable; rejects with any other error. Returns undefined if the signal aborts. */
export async function retryUntilReached<T>(
	signal: AbortSignal,
	work: () => Promise<T>,
	onOutage: (error: EngineUnreachable) => void,
): Promise<T | undefined> {
	for (let wait = first; !signal.aborted; wait = Math.min(maxPauseMs, wait * 2)) {
		try {
			return await work();
		} catch (error) {
			if (!(error instanceof EngineUnreachable)) throw error;
			if (signal.aborted) return undefined;
			onOutage(error);
			await delay(wait, undefined, { signal }).catch(() => {});
		}
	}
	return undefined;
}

/** Returns a signal that aborts when the service stops, but for no other reason to abort a run. */
export function toShutdownSignal(signal: AbortSignal): AbortSignal {
	const left = new AbortController();
	const leave = () => {
		if (signal.reason instanceof RunAborted && signal.reason.kind === "shutdown") left.abort();
	};
	if (signal.aborted) leave();
	else signal.addEventListener("abort", leave, { once: true });
	return left.signal;
}
