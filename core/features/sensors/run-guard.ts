import { toErrorMessage } from "../../contract/index.ts";
import type { Holding } from "./sensor-run.ts";
import { asSensor } from "./sensor-strays.ts";

/** One run of a sensor: it has failed also where a promise was rejected that it does not await, and is to end then. */
export class RunGuard {
	/** Aborts when the run has to end. */
	readonly signal: AbortSignal;
	readonly #controller = new AbortController();
	readonly #holding: Holding;
	readonly #tell: (reason: unknown) => void;
	#stray: Error | undefined;
	#hasBegun = false;
	#hasEnded = false;

	/** @param tell of a promise that nobody awaits, also after the end */
	constructor(holding: Holding, tell: (reason: unknown) => void) {
		this.signal = this.#controller.signal;
		this.#holding = holding;
		this.#tell = tell;
		if (holding.signal.aborted) this.#abort();
		else holding.signal.addEventListener("abort", this.#abort, { once: true });
	}

	/** Whether what the run does still counts. */
	isGood(): boolean {
		return !this.#hasEnded && this.#stray === undefined;
	}

	/** Resolves when it has ended, and not before: there must be no other beside it. */
	async run(work: () => Promise<void>): Promise<void> {
		this.#hasBegun = true;
		try {
			await asSensor(this.#onStray, work);
		} catch (error) {
			throw this.#stray ?? error;
		}
		if (this.#stray !== undefined) throw this.#stray;
	}

	end(): void {
		this.#hasEnded = true;
		this.#holding.signal.removeEventListener("abort", this.#abort);
	}

	readonly #onStray = (reason: unknown): void => {
		this.#tell(reason);
		if (!this.isGood()) return;
		this.#stray = new Error(`a promise that nobody awaits was rejected: ${toErrorMessage(reason)}`, { cause: reason });
		this.#abort();
	};

	readonly #abort = (): void => {
		const abort = () => this.#controller.abort(this.#holding.signal.reason);
		// What listens to the signal then is the sensor's.
		if (this.#hasBegun) asSensor(this.#onStray, abort);
		else abort();
	};
}
