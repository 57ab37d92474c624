/** The event streams being sent: each ends when its client goes or when the service stops. */
export class OpenStreams {
	readonly #controllers = new Set<AbortController>();
	#stopped = false;

	/** A signal for one stream; `done` forgets it again. */
	open(request: Request): { readonly signal: AbortSignal; done(): void } {
		const controller = new AbortController();
		const abort = () => controller.abort();
		const done = () => {
			this.#controllers.delete(controller);
			request.signal.removeEventListener("abort", abort);
		};
		request.signal.addEventListener("abort", abort, { once: true });
		if (this.#stopped || request.signal.aborted) controller.abort();
		this.#controllers.add(controller);
		return { signal: controller.signal, done };
	}

	/** How many are open. */
	get size(): number {
		return this.#controllers.size;
	}

	/** End all of them, and those still to come. */
	stop(): void {
		this.#stopped = true;
		for (const controller of this.#controllers) controller.abort();
	}
}
