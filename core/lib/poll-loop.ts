/** Callbacks of a poll loop. */
export interface PollLoopOptions {
	/** Polls once. A new poll begins only when the previous one has settled. */
	readonly poll: () => Promise<void>;
	/** Called when a poll has failed. */
	readonly onError: (error: unknown) => void;
}

/** Runs polls one at a time. A request during a poll starts another poll afterwards, so that no request is lost. */
export class PollLoop {
	readonly #parts: PollLoopOptions;
	#isStarted = false;
	#timer: NodeJS.Timeout | undefined;
	#running: Promise<void> | undefined;
	/** True if another poll was requested during the current one. */
	#isPollRequested = false;

	constructor(parts: PollLoopOptions) {
		this.#parts = parts;
	}

	/** True between `start` and `stop`. */
	get isStarted(): boolean {
		return this.#isStarted;
	}

	/** Enables polls. May be called again after `stop`. */
	start(): void {
		this.#isStarted = true;
	}

	/** Requests a poll. Has no effect unless the loop is started. */
	wake(): void {
		if (!this.#isStarted) return;
		this.#isPollRequested = true;
		this.#running ??= this.#pollRepeatedly().finally(() => {
			this.#running = undefined;
			// A poll that was requested after the last iteration would otherwise wait for the next call of `wake`.
			if (this.#isPollRequested) this.wake();
		});
	}

	/** Calls `wake`, by default the method, after the given number of milliseconds. Replaces an earlier scheduled call. */
	scheduleWake(milliseconds: number, wake = () => this.wake()): void {
		clearTimeout(this.#timer);
		if (this.#isStarted) this.#timer = setTimeout(wake, milliseconds);
	}

	/** Disables polls. Resolves when no poll is running. */
	async stop(): Promise<void> {
		this.#isStarted = false;
		clearTimeout(this.#timer);
		await this.#running;
	}

	async #pollRepeatedly(): Promise<void> {
		while (this.#isPollRequested && this.#isStarted) {
			this.#isPollRequested = false;
			try {
				await this.#parts.poll();
			} catch (error) {
				// Drops a request made during the failed poll: an immediate poll would fail again. The scheduled poll retries.
				this.#isPollRequested = false;
				this.#parts.onError(error);
			}
		}
	}
}
