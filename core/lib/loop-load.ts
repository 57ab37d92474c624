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
