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

/** Share of the time below which the event loop has little to do. */
const little = 0.5;

/** How busy the event loop is, from one look to the next. */
export class LoopLoad {
	#last = performance.eventLoopUtilization();

	/** Whether it had little to do since the last look, or since this was made. */
	wasLittle(): boolean {
		const now = performance.eventLoopUtilization();
		const { utilization } = performance.eventLoopUtilization(now, this.#last);
		this.#last = now;
		return utilization < little;
	}
}
