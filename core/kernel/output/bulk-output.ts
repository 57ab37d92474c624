/** Milliseconds after a large write for which more of the same is expected. */
const lasting = 100;

/** Whether runs of this node print much at this moment: what others do meanwhile holds them up. */
export class Floods {
	#until = 0;

	/** A run has much to store at once. */
	note(): void {
		this.#until = performance.now() + lasting;
	}

	get areGoingOn(): boolean {
		return performance.now() < this.#until;
	}
}
