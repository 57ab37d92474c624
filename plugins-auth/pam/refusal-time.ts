import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds; a module that once took longer than the longest does not make everybody wait for that. */
const shortest = 250;
const longest = 8_000;
const longestDelay = 10_000;

export interface RefusalWait {
	/** Milliseconds that PAM worked. */
	readonly elapsed: number;
	/** Milliseconds that its modules want a refusal to wait. */
	readonly delay: number;
	readonly signal: AbortSignal;
}

/**
 * Makes every refusal take equally long: there is no password to verify for an unknown user, and PAM would answer sooner. The time
 * doubles when an answer took longer, so that the ups and downs of the machine do not show.
 */
export class RefusalTime {
	#time = shortest;

	/** Tell it how long an answer took, whatever it was. */
	observe(elapsed: number): void {
		while (this.#time < Math.min(elapsed, longest)) this.#time *= 2;
	}

	/** Resolves when the refusal may be told. */
	async wait({ elapsed, delay: wanted, signal }: RefusalWait): Promise<void> {
		const rest = Math.max(0, this.#time - elapsed) + Math.min(longestDelay, wanted);
		await delay(rest, undefined, { signal });
	}
}
