/** Callbacks that run when a signal aborts. */
export type AbortListeners = ReturnType<typeof createAbortListeners>;

/** Creates a registry that adds a single listener to each signal. Node.js warns of a leak at more than ten listeners. */
export function createAbortListeners() {
	const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

	function listen(signal: AbortSignal): Set<() => void> {
		const pendingCallbacks = new Set<() => void>();
		callbacks.set(signal, pendingCallbacks);
		signal.addEventListener("abort", notify, { once: true });
		return pendingCallbacks;
	}

	function notify(this: AbortSignal): void {
		const pendingCallbacks = callbacks.get(this) ?? [];
		callbacks.delete(this);
		for (const callback of pendingCallbacks) callback();
	}

	return {
		/** Adds a callback that runs once when the signal aborts; at once if it already has. Returns a function that removes the callback. */
		add(signal: AbortSignal, callback: () => void): () => void {
			if (signal.aborted) {
				callback();
				return () => {};
			}
			const pendingCallbacks = callbacks.get(signal) ?? listen(signal);
			pendingCallbacks.add(callback);
			return () => {
				pendingCallbacks.delete(callback);
				if (pendingCallbacks.size > 0 || callbacks.get(signal) !== pendingCallbacks) return;
				callbacks.delete(signal);
				signal.removeEventListener("abort", notify);
			};
		},
	};
}
