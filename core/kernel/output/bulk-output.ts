/** Milliseconds after a large write during which more large writes are expected. */
const activeMs = 100;

/** Detects that runs of this node print bulk output. Work of others on the event loop then slows these runs down. */
export class BulkOutput {
	#activeUntil = 0;

	/** Notes a large write of output. */
	noteLargeWrite(): void {
		this.#activeUntil = performance.now() + activeMs;
	}

	/** True for 100 ms after a large write. */
	get isActive(): boolean {
		return performance.now() < this.#activeUntil;
	}
}
