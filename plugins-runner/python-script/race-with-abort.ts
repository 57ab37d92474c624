/** Returns the result of the work, or `aborted` if the signal aborts first. The work continues in that case. */
export async function raceWithAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T | "aborted"> {
	if (signal.aborted) return "aborted";
	let onAbort = () => {};
	const aborted = new Promise<"aborted">((resolve) => {
		onAbort = () => resolve("aborted");
		signal.addEventListener("abort", onAbort);
	});
	try {
		return await Promise.race([work, aborted]);
	} finally {
		signal.removeEventListener("abort", onAbort);
	}
}
