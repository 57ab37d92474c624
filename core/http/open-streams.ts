/** The event streams being sent: each ends when its client goes or when the service stops. */
export class OpenStreams {
	readonly #controllers = new Set<AbortController>();
	#stopped = false;

	/** A signal for one stream; `done` aborts and forgets it, also when nobody else would. May be called twice. */
	open(request: Request): { readonly signal: AbortSignal; done(): void } {
		const controller = new AbortController();
		const done = () => {
			this.#controllers.delete(controller);
			request.signal.removeEventListener("abort", done);
			controller.abort();
		};
		this.#controllers.add(controller);
		request.signal.addEventListener("abort", done, { once: true });
		if (this.#stopped || request.signal.aborted) done();
		return { signal: controller.signal, done };
	}

	/** End all of them, and those still to come. */
	stop(): void {
		this.#stopped = true;
		for (const controller of this.#controllers) controller.abort();
	}
}
