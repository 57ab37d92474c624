import { setTimeout as delay } from "node:timers/promises";

/** Maximum delay of a Node.js timer, in milliseconds. */
export const maxTimerMs = 2_147_483_647;

/** Resolves after the given number of milliseconds, or when the signal aborts. */
export async function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
	await delay(Math.min(milliseconds, maxTimerMs), undefined, signal && { signal }).catch(() => undefined);
}

/** Resolves when `promise` has settled or the milliseconds have passed. Resolves with true if `promise` has settled. Never rejects. */
export async function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const timeout = new Promise<boolean>((resolve) => {
		timer = setTimeout(() => resolve(false), Math.min(milliseconds, maxTimerMs));
	});
	const settlement = promise.then(
		() => true,
		() => true,
	);
	const hasSettled = await Promise.race([settlement, timeout]);
	clearTimeout(timer);
	return hasSettled;
}

/** Resolves with the result of `promise`. Resolves with undefined if it rejects or takes longer than `milliseconds`. Never rejects. */
export function resultWithin<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
	return new Promise((resolve) => {
		const timer = setTimeout(() => resolve(undefined), milliseconds);
		const settle = (value: T | undefined) => {
			clearTimeout(timer);
			resolve(value);
		};
		promise.then(settle, () => settle(undefined));
	});
}
