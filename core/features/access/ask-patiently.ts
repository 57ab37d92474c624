import { SvcError } from "../../contract/index.ts";

/** Seconds after which a backend that does not answer counts as away. */
const defaultTimeout = 30;

interface Patience {
	readonly signal: AbortSignal;
	/** Seconds. */
	readonly timeout?: number | undefined;
}

/** What an auth backend answers. Does not rely on it to notice the signal: `SVC_UNAVAILABLE` when it takes too long, the signal's reason on abort. */
export async function askPatiently<T>(
	ask: (signal: AbortSignal) => Promise<T> | T,
	{ signal, timeout = defaultTimeout }: Patience,
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
