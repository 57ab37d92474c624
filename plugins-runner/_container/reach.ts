import { setTimeout as delay } from "node:timers/promises";
import { RunAborted } from "../../core/contract/index.ts";
import { EngineUnreachable } from "./engine-errors.ts";

/** Milliseconds between two tries: the first ones, and at most. */
const first = 100;
const longest = 5_000;

/** Does it until the engine can be reached; any other failure is the caller's. Undefined once the signal has aborted. */
export async function untilReached<T>(
	signal: AbortSignal,
	work: () => Promise<T>,
	onOutage: (error: EngineUnreachable) => void,
): Promise<T | undefined> {
	for (let wait = first; !signal.aborted; wait = Math.min(longest, wait * 2)) {
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

/** Aborts when the service stops, and for no other reason why a run may be aborted. */
export function toLeaving(signal: AbortSignal): AbortSignal {
	const left = new AbortController();
	const leave = () => {
		if (signal.reason instanceof RunAborted && signal.reason.kind === "shutdown") left.abort();
	};
	if (signal.aborted) leave();
	else signal.addEventListener("abort", leave, { once: true });
	return left.signal;
}
