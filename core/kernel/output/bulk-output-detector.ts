/** Milliseconds for which further large writes are expected after a large write. */
const activeMs = 100;

/**
 * Detects that runs of this node print bulk output. Other work on the event loop, such as serving followers, then slows these runs down.
 */
export class BulkOutputDetector {
	#activeUntil = 0;

	/** Notes that a run has made a large write of output. */
	noteLargeWrite(): void {
		this.#activeUntil = performance.now() + activeMs;
	}

	/** True for 100 ms after a large write. */
	get isActive(): boolean {
		return performance.now() < this.#activeUntil;
	}
}
