/** Who is to be told when a signal aborts. */
export interface AbortWatch {
	/** Call back once when the signal aborts; at once when it has. Gives back what forgets it. */
	add(signal: AbortSignal, callback: () => void): () => void;
}

/** One listener on each signal, however many are to be told: beyond ten Node warns of a leak. */
export function createAbortWatch(): AbortWatch {
	const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

	function listen(signal: AbortSignal): Set<() => void> {
		const waiting = new Set<() => void>();
		callbacks.set(signal, waiting);
		signal.addEventListener("abort", tell, { once: true });
		return waiting;
	}

	function tell(this: AbortSignal): void {
		const waiting = callbacks.get(this) ?? [];
		callbacks.delete(this);
		for (const callback of waiting) callback();
	}

	return {
		add(signal, callback) {
			if (signal.aborted) {
				callback();
				return () => {};
			}
			const waiting = callbacks.get(signal) ?? listen(signal);
			waiting.add(callback);
			return () => {
				waiting.delete(callback);
				if (waiting.size > 0 || callbacks.get(signal) !== waiting) return;
				callbacks.delete(signal);
				signal.removeEventListener("abort", tell);
			};
		},
	};
}
