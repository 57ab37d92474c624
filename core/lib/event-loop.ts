import { setImmediate } from "node:timers/promises";

/** Milliseconds of work after which others have their turn. */
const enough = 5;

/** For a long loop over what waits for nobody: without a breath now and then nobody else would be answered meanwhile. */
export class Breath {
	#since = performance.now();

	/** To be awaited once in each round. */
	async take(): Promise<void> {
		if (performance.now() - this.#since < enough) return;
		await setImmediate();
		this.#since = performance.now();
	}
}
