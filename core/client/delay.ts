/** Resolves after the given number of milliseconds, or when the signal aborts. */
export function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const done = () => {
			clearTimeout(timer);
			signal?.removeEventListener("abort", done);
			resolve();
		};
		const timer = setTimeout(done, milliseconds);
		signal?.addEventListener("abort", done);
		if (signal?.aborted) done();
	});
}
