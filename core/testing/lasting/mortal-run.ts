import { SvcError } from "../../contract/index.ts";
import type { TestRunContext } from "../run-context.ts";

/**
 * A run whose service is killed at a moment of the test's choice. From then on nothing that it gives is stored and it hears nothing, so
 * that it stands still at the next word it would have with its service; what was stored before is there for `recover`.
 *
 * There are two moments in each `saveState` and `emit`: before it is stored, and after, when the runner has not been told.
 */
export class MortalRun {
	readonly context: TestRunContext;
	/** Resolves once it is dead. */
	readonly death: Promise<void>;
	readonly #dieAt: number;
	readonly #grave: Promise<never>;
	#moment = 0;
	#isDead = false;
	#tellDeath = () => {};
	#open = () => {};

	/** @param dieAt number of the moment, the first is 1; default: only `kill` kills it */
	constructor(run: TestRunContext, dieAt = Number.POSITIVE_INFINITY) {
		this.#dieAt = dieAt;
		this.death = new Promise((resolve) => {
			this.#tellDeath = resolve;
		});
		this.#grave = new Promise((_, reject) => {
			this.#open = () => reject(new SvcError("SVC_CONFLICT", "the execution is no longer this run's"));
		});
		// Only those hear of it who stand still there.
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

	/** When the statement is over: what stands still goes on, to its end. */
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
