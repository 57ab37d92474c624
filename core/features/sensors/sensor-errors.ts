import { toErrorMessage } from "../../contract/index.ts";
import type { Holding } from "./sensor-run.ts";
import { asSensor, type Stray } from "./sensor-strays.ts";

/** Errors of a run that are told of. */
const mostTold = 10;

/** One run of a sensor: it has failed also with what it leaves to nobody, a rejected promise or an exception in a callback, and is to end then. */
export class RunGuard {
	/** Aborts when the run has to end. */
	readonly signal: AbortSignal;
	readonly #controller = new AbortController();
	readonly #holding: Holding;
	readonly #tell: (stray: Stray) => void;
	#stray: Error | undefined;
	#told = 0;
	#hasBegun = false;
	#hasEnded = false;

	/** @param tell of what the run leaves to nobody, also after the end */
	constructor(holding: Holding, tell: (stray: Stray) => void) {
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

	readonly #onStray = (stray: Stray): void => {
		// A timer that the sensor does not clear would fill the log.
		if (++this.#told <= mostTold) this.#tell(stray);
		if (!this.isGood()) return;
		this.#stray = new Error(`${stray.what}: ${toErrorMessage(stray.reason)}`, { cause: stray.reason });
		this.#abort();
	};

	readonly #abort = (): void => {
		const abort = () => this.#controller.abort(this.#holding.signal.reason);
		// What listens to the signal then is the sensor's.
		if (this.#hasBegun) asSensor(this.#onStray, abort);
		else abort();
	};
}
