export interface LooksParts {
	readonly look: () => Promise<void>;
	/** A look has failed. */
	readonly onError: (error: unknown) => void;
}

/** Looks for something to do: one look at a time, and another one behind it when that was asked for meanwhile. */
export class Looks {
	readonly #parts: LooksParts;
	#isOn = false;
	#timer: NodeJS.Timeout | undefined;
	#looking: Promise<void> | undefined;
	/** Asked for while looking. */
	#again = false;

	constructor(parts: LooksParts) {
		this.#parts = parts;
	}

	/** Whether it is started. */
	get isOn(): boolean {
		return this.#isOn;
	}

	/** Also again, after `stop`. */
	start(): void {
		this.#isOn = true;
	}

	/** Look now. Does nothing unless started. */
	wake(): void {
		if (!this.#isOn) return;
		this.#again = true;
		this.#looking ??= this.#lookRepeatedly().finally(() => {
			this.#looking = undefined;
			// What was asked for between the last look and now would wait for the next call.
			if (this.#again) this.wake();
		});
	}

	/** Call `wake` in so many milliseconds, instead of when it was planned before. */
	plan(milliseconds: number, wake: () => void): void {
		clearTimeout(this.#timer);
		if (this.#isOn) this.#timer = setTimeout(wake, milliseconds);
	}

	/** Resolves when no look is under way. */
	async stop(): Promise<void> {
		this.#isOn = false;
		clearTimeout(this.#timer);
		await this.#looking;
	}

	async #lookRepeatedly(): Promise<void> {
		while (this.#again && this.#isOn) {
			this.#again = false;
			try {
				await this.#parts.look();
			} catch (error) {
				// At once it would fail again; whoever planned the next look decides when.
				this.#again = false;
				this.#parts.onError(error);
			}
		}
	}
}
