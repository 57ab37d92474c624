import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Fails when the work takes longer.
 *
 * @param late what is the matter then
 * @param hint what to do about it
 */
export async function within<T>(milliseconds: number, work: Promise<T>, late: string, hint?: string): Promise<T> {
	const done = new AbortController();
	const timer = delay(milliseconds, undefined, { signal: done.signal }).then(
		() => assert.fail(`${late} after ${milliseconds} ms${hint === undefined ? "" : `; hint: ${hint}`}`),
		() => work,
	);
	try {
		return await Promise.race([work, timer]);
	} finally {
		done.abort();
	}
}

/** How an aborted run has ended, which it must have done within the grace. */
export function endOfAborted<T>(grace: number, end: Promise<T>): Promise<T> {
	const hint = "when `signal` aborts, end the work and resolve; it may have aborted before `run` was called";
	return within(grace, end, "the run goes on although its signal has aborted,", hint);
}
