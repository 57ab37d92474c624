import { SvcError } from "../../contract/index.ts";
import type { TestRunContext } from "../run-context.ts";

/**
 * A run whose service is killed at a moment that the test chooses. After that, the run can store nothing, and its next call to the service
 * does not return until `bury` is called. Everything that was stored before is available to `recover`.
 *
 * Each `saveState` and `emit` has two such moments: before the value is stored, and after it is stored but before the runner gets the
 * response.
 */
export class KillableRun {
	readonly context: TestRunContext;
	/** Resolves when the service of the run is killed. */
	readonly death: Promise<void>;
	readonly #dieAt: number;
	readonly #grave: Promise<never>;
	#moment = 0;
	#isDead = false;
	#tellDeath = () => {};
	#open = () => {};

	/** @param dieAt number of the moment, starting at 1; default: only `kill` kills the service */
	constructor(run: TestRunContext, dieAt = Number.POSITIVE_INFINITY) {
		this.#dieAt = dieAt;
		this.death = new Promise((resolve) => {
			this.#tellDeath = resolve;
		});
		this.#grave = new Promise((_, reject) => {
			this.#open = () => reject(new SvcError("SVC_CONFLICT", "the execution no longer belongs to this run"));
		});
		// Suspended calls receive this rejection. If there are none, it must not become an unhandled rejection.
		this.#grave.catch(() => {});
		this.context = {
			...run,
			saveState: (state) => this.#live(() => run.saveState(state)),
			emit: (type, data) => this.#live(() => run.emit(type, data)),
		};
	}

	kill(): void {
		this.#isDead = true;
		this.#tellDeath();
	}

	/** Rejects all suspended calls, so that the run can end. Called after the test. */
	bury(): void {
		this.kill();
		this.#open();
		this.context.abort("shutdown");
	}

	async #live(store: () => Promise<void>): Promise<void> {
		await this.#pass();
		await store();
		await this.#pass();
	}

	async #pass(): Promise<void> {
		if (++this.#moment === this.#dieAt) this.kill();
		if (this.#isDead) await this.#grave;
	}
}
