/** Resolves after `milliseconds`, or when `signal` aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) return resolve();
		const done = () => {
			clearTimeout(timer);
			signal.removeEventListener("abort", done);
			resolve();
		};
		const timer = setTimeout(done, milliseconds);
		signal.addEventListener("abort", done, { once: true });
	});
}

export class TimeoutError extends Error {}

/** Settles like `promise`, but rejects after `milliseconds` or when `signal` aborts. */
export async function withTimeout<T>(promise: Promise<T>, milliseconds: number, signal: AbortSignal): Promise<T> {
	const over = new AbortController();
	// If the promise rejects after the timeout, that must not become an unhandled rejection.
	promise.catch(() => {});
	const late = pause(milliseconds, AbortSignal.any([signal, over.signal])).then(() => {
		if (signal.aborted) throw new Error("the connection was lost");
		throw new TimeoutError(`no response within ${milliseconds / 1_000} seconds`);
	});
	late.catch(() => {});
	try {
		return await Promise.race([promise, late]);
	} finally {
		over.abort();
	}
}
