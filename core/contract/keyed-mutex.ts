/** Runs tasks with equal keys one at a time, in the order of their requests. Tasks with different keys run concurrently. */
export class KeyedMutex {
	readonly #lastByKey = new Map<string, Promise<unknown>>();

	/**
	 * Runs `work` when all earlier tasks with this key have settled. Settles with the result or error of `work`.
	 *
	 * If the signal aborts before `work` begins, the promise rejects at once with the signal's reason and `work` is never called. Once
	 * `work` has begun, the signal has no effect.
	 */
	async runExclusive<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		signal?.throwIfAborted();
		let hasStarted = false;
		const start = () => {
			signal?.throwIfAborted();
			hasStarted = true;
			return work();
		};
		const promise = (this.#lastByKey.get(key) ?? Promise.resolve()).then(start, start);
		this.#lastByKey.set(key, promise);
		const removeIfLast = () => {
			if (this.#lastByKey.get(key) === promise) this.#lastByKey.delete(key);
		};
		promise.then(removeIfLast, removeIfLast);
		return signal === undefined ? promise : rejectOnAbort(promise, signal, () => hasStarted);
	}

	/** Resolves when all tasks that have been requested so far have settled. */
	async whenIdle(): Promise<void> {
		await Promise.allSettled(this.#lastByKey.values());
	}
}

/** Rejects at once if the signal aborts before the task begins. A task that has begun is awaited. */
async function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal, hasStarted: () => boolean): Promise<T> {
	let removeListener = () => {};
	const aborted = new Promise<never>((_, reject) => {
		const onAbort = () => void (hasStarted() || reject(signal.reason as Error));
		removeListener = () => signal.removeEventListener("abort", onAbort);
		signal.addEventListener("abort", onAbort);
	});
	return Promise.race([promise, aborted]).finally(removeListener);
}
