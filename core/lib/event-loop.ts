import { setImmediate } from "node:timers/promises";

/** Milliseconds of continuous work before a yield. */
const maxWorkMs = 5;

/** Yields to the event loop every 5 ms during a long loop, so that requests are still served. */
export class EventLoopYield {
	#lastYieldAt = performance.now();

	/** Yields if 5 ms have passed since the last yield. Await it in each iteration of the loop. */
	async yieldIfDue(): Promise<void> {
		if (performance.now() - this.#lastYieldAt < maxWorkMs) return;
		await setImmediate();
		this.#lastYieldAt = performance.now();
	}
}

/** Utilization of the event loop below which it counts as low: 0 to 1. */
const lowUtilization = 0.5;

/** Measures the utilization of the event loop between calls. */
export class EventLoopUtilization {
	#lastReading = performance.eventLoopUtilization();

	/** Returns true if the utilization was low since the previous call, or since the construction of this object. */
	wasLow(): boolean {
		const now = performance.eventLoopUtilization();
		const { utilization } = performance.eventLoopUtilization(now, this.#lastReading);
		this.#lastReading = now;
		return utilization < lowUtilization;
	}
}
