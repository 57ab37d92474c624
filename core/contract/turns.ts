/**
 * Work that must not happen side by side: for each key one after the other, in the order in which it was asked for.
 */
export class Turns {
	readonly #last = new Map<string, Promise<unknown>>();

	/**
	 * Do the work when its turn has come. Gives the work's own result or error; rejects with the signal's reason, without doing the
	 * work, when that aborts before.
	 */
	async take<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		signal?.throwIfAborted();
		let hasBegun = false;
		const begin = () => {
			signal?.throwIfAborted();
			hasBegun = true;
			return work();
		};
		const turn = (this.#last.get(key) ?? Promise.resolve()).then(begin, begin);
		this.#last.set(key, turn);
		const leave = () => {
			if (this.#last.get(key) === turn) this.#last.delete(key);
		};
		turn.then(leave, leave);
		return signal === undefined ? turn : unlessAborted(turn, signal, () => hasBegun);
	}

	/** Resolves when all that has been asked for so far is done. */
	async settled(): Promise<void> {
		await Promise.allSettled(this.#last.values());
	}
}

/** Whoever waits for nothing any more is told at once; work that has begun is waited for. */
async function unlessAborted<T>(turn: Promise<T>, signal: AbortSignal, hasBegun: () => boolean): Promise<T> {
	let stop = () => {};
	const aborted = new Promise<never>((_, reject) => {
		const onAbort = () => void (hasBegun() || reject(signal.reason as Error));
		stop = () => signal.removeEventListener("abort", onAbort);
		signal.addEventListener("abort", onAbort);
	});
	return Promise.race([turn, aborted]).finally(stop);
}
