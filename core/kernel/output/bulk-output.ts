/** Milliseconds after a large write during which more large writes are expected. */
const activeMs = 100;

/** Detects that runs of this node print bulk output. Work of others on the event loop then slows these runs down. */
export class Floods {
	#activeUntil = 0;

	/** Notes a large write of output. */
	note(): void {
		this.#activeUntil = performance.now() + activeMs;
	}

	/** True for 100 ms after a large write. */
	get areGoingOn(): boolean {
		return performance.now() < this.#activeUntil;
	}
}
