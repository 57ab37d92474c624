import { setTimeout as delay } from "node:timers/promises";

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
	for (;;) {
		const value = await read();
		if (value !== undefined) return value;
		if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
		await delay(10);
	}
}

type NotFalse<T> = unknown extends T ? T : false extends T ? never : T;
