/** The event streams being sent: each ends when its client goes or when the service stops. */
export class OpenStreams {
	readonly #controllers = new Set<AbortController>();
	#stopped = false;

	/** A signal for one stream; `done` forgets it again. */
	open(request: Request): { readonly signal: AbortSignal; done(): void } {
		const controller = new AbortController();
		const done = () => {
			this.#controllers.delete(controller);
			request.signal.removeEventListener("abort", abort);
		};
		// A stream whose client has gone may never be read again, and then nobody else calls `done`.
		const abort = () => {
			controller.abort();
			done();
		};
		request.signal.addEventListener("abort", abort, { once: true });
		this.#controllers.add(controller);
		if (this.#stopped || request.signal.aborted) abort();
		return { signal: controller.signal, done };
	}

	/** End all of them, and those still to come. */
	stop(): void {
		this.#stopped = true;
		for (const controller of this.#controllers) controller.abort();
	}
}
