import { SvcError } from "../../contract/index.ts";

/** Seconds that a backend may take. */
const defaultTimeout = 30;

/**
 * Returns the response of an auth backend. Throws `SVC_UNAVAILABLE` after the timeout and the signal's reason on abort, even if the backend
 * ignores its signal.
 */
export async function callWithTimeout<T>(
	ask: (signal: AbortSignal) => Promise<T> | T,
	{ signal, timeout = defaultTimeout }: { readonly signal: AbortSignal; readonly timeout?: number | undefined },
): Promise<T> {
	signal.throwIfAborted();
	const controller = new AbortController();
	const late = new SvcError("SVC_UNAVAILABLE", `the auth backend has not answered within ${timeout} seconds`);
	const abort = () => controller.abort(signal.reason);
	const timer = setTimeout(() => controller.abort(late), timeout * 1_000);
	signal.addEventListener("abort", abort, { once: true });
	try {
		const aborted = new Promise<never>((_, reject) => {
			controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error), { once: true });
		});
		return await Promise.race([ask(controller.signal), aborted]);
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", abort);
	}
}
