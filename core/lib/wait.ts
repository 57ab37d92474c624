const longestTimer = 2_147_483_647;

/** Resolves after so many milliseconds, or when the signal aborts. */
export async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
	let onAbort = () => {};
	const aborted = new Promise<void>((resolve) => {
		onAbort = resolve;
	});
	if (signal.aborted) return;
	signal.addEventListener("abort", onAbort);
	await settledWithin(aborted, milliseconds);
	signal.removeEventListener("abort", onAbort);
}

/** Resolves when `promise` has settled, or after so many milliseconds: whether it had settled. */
export async function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<boolean>((resolve) => {
		timer = setTimeout(() => resolve(false), Math.min(milliseconds, longestTimer));
	});
	const settled = promise.then(
		() => true,
		() => true,
	);
	const outcome = await Promise.race([settled, late]);
	clearTimeout(timer);
	return outcome;
}

/** What `promise` resolves with; undefined when that takes longer than `milliseconds`, or it rejects. */
export function atHand<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
	return new Promise((resolve) => {
		const timer = setTimeout(() => resolve(undefined), milliseconds);
		const settle = (value: T | undefined) => {
			clearTimeout(timer);
			resolve(value);
		};
		promise.then(settle, () => settle(undefined));
	});
}
