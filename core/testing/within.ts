import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Returns the result of `work`. Fails if it takes longer than the given time.
 *
 * @param late beginning of the failure message
 * @param hint remedy; a function is called at the timeout and returns the rest of the message instead
 */
export async function within<T>(milliseconds: number, work: Promise<T>, late: string, hint?: string | (() => string)): Promise<T> {
	const done = new AbortController();
	const timer = delay(milliseconds, undefined, { signal: done.signal }).then(
		() => assert.fail(`${late} after ${milliseconds} ms${toAdvice(hint)}`),
		() => work,
	);
	try {
		return await Promise.race([work, timer]);
	} finally {
		done.abort();
	}
}

function toAdvice(hint: string | (() => string) | undefined): string {
	if (typeof hint === "function") return `; ${hint()}`;
	return hint === undefined ? "" : `; hint: ${hint}`;
}

/** Returns the result of an aborted run, which must end within the grace period. */
export function endOfAborted<T>(grace: number, end: Promise<T>): Promise<T> {
	const hint = "end the work and resolve when `signal` aborts; it may already be aborted when `run` is called";
	return within(grace, end, "the run continues although its signal has aborted,", hint);
}
