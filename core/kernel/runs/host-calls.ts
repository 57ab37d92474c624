import { RunAborted, SvcError } from "../../contract/index.ts";
import { outlastOutage } from "../../lib/retry-while-unavailable.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { Performance } from "./performance.ts";

/** What a runner asks of the host while its run lasts and holds its execution. An outage of the storage delays a run and does not end it. */
export class RunCalls {
	readonly #performance: Performance;
	readonly #logger: EngineDependencies["logger"];
	#isClosed = false;

	constructor(performance: Performance, logger: EngineDependencies["logger"]) {
		this.#performance = performance;
		this.#logger = logger;
	}

	/** The run has ended. */
	close(): void {
		this.#isClosed = true;
	}

	/** What `attempt` resolves with, once the storage is there. `isRetry`: an attempt before may have stored what it meant to. */
	async outlast<T>(attempt: (isRetry: boolean) => Promise<T>): Promise<T> {
		const { execution, run } = this.#performance;
		const { signal } = run.controller;
		let answer: { readonly value: T } | undefined;
		const isStopping = () => signal.reason instanceof RunAborted && signal.reason.kind === "shutdown";
		await outlastOutage(
			async (isRetry) => {
				this.assertHeld();
				answer = { value: await attempt(isRetry) };
			},
			{
				isOver: () => run.lost || this.#isClosed || isStopping(),
				onOutage: (error) => this.#logger.warn("storage is away, a run waits for it", { execution_id: execution.id, error }),
			},
		);
		return (answer as unknown as { readonly value: T }).value;
	}

	assertHeld(): void {
		if (this.#performance.run.lost || this.#isClosed) throw this.toLost();
	}

	toLost(): SvcError {
		return new SvcError("SVC_CONFLICT", `execution "${this.#performance.execution.id}" is no longer this run's`);
	}
}
