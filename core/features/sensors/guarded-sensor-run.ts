import { toErrorMessage } from "../../contract/index.ts";
import type { Holding } from "./sensor-run.ts";
import { runAsSensor, type UncaughtSensorError } from "./uncaught-sensor-errors.ts";

/** Maximum number of unhandled errors of a run that are reported. */
const maxReportedErrors = 10;

/** One run of a sensor in this process. An unhandled rejection or an uncaught exception of the sensor also fails the run and aborts it. */
export class GuardedSensorRun {
	/** Aborts when the run must end. */
	readonly signal: AbortSignal;
	readonly #controller = new AbortController();
	readonly #holding: Holding;
	readonly #tell: (stray: UncaughtSensorError) => void;
	#stray: Error | undefined;
	#told = 0;
	#hasBegun = false;
	#hasEnded = false;

	/**
	 * Creates a guard for one run.
	 * @param tell Called for unhandled errors of the run, even after its end.
	 */
	constructor(holding: Holding, tell: (stray: UncaughtSensorError) => void) {
		this.signal = this.#controller.signal;
		this.#holding = holding;
		this.#tell = tell;
		if (holding.signal.aborted) this.#abort();
		else holding.signal.addEventListener("abort", this.#abort, { once: true });
	}

	/** Returns true while the run has neither ended nor failed. */
	isRunning(): boolean {
		return !this.#hasEnded && this.#stray === undefined;
	}

	/** Runs the sensor. Resolves only when it has ended, so that no second run can overlap. */
	async run(work: () => Promise<void>): Promise<void> {
		this.#hasBegun = true;
		try {
			await runAsSensor(this.#onStray, work);
		} catch (error) {
			throw this.#stray ?? error;
		}
		if (this.#stray !== undefined) throw this.#stray;
	}

	end(): void {
		this.#hasEnded = true;
		this.#holding.signal.removeEventListener("abort", this.#abort);
	}

	readonly #onStray = (stray: UncaughtSensorError): void => {
		// Report only the first errors, because a timer that the sensor never clears could fill the log.
		if (++this.#told <= maxReportedErrors) this.#tell(stray);
		if (!this.isRunning()) return;
		this.#stray = new Error(`${stray.what}: ${toErrorMessage(stray.reason)}`, { cause: stray.reason });
		this.#abort();
	};

	readonly #abort = (): void => {
		const abort = () => this.#controller.abort(this.#holding.signal.reason);
		// Aborting calls the sensor's own listeners. Run them as the sensor, so that their errors are attributed to it.
		if (this.#hasBegun) runAsSensor(this.#onStray, abort);
		else abort();
	};
}
