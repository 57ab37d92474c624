import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds between two reads: few at first, and more when it takes longer, because each read may be a request to a service. */
const shortestPause = 10;
const longestPause = 100;

/**
 * The first value that `read` gives which is not undefined; an error that names `what` when there is none in time. Of what is only true or
 * false it gives `true` or undefined: false would be a value.
 */
export async function until<T>(
	what: string,
	seconds: number,
	read: () => NotFalse<T> | undefined | Promise<NotFalse<T> | undefined>,
): Promise<T> {
	const deadline = performance.now() + seconds * 1_000;
	for (let pause = shortestPause; ; pause = Math.min(pause * 1.2, longestPause)) {
		const value = await read();
		if (value !== undefined) return value;
		if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
		await delay(pause);
	}
}

type NotFalse<T> = unknown extends T ? T : false extends T ? never : T;
