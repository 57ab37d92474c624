import { type ExecutionEntity, RunAborted, SvcError } from "../../contract/index.ts";
import { outlastOutage } from "../../lib/retry-while-unavailable.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { cancelExecution } from "../executions/cancel.ts";
import { isCompleted, toStatusPatch } from "../executions/status.ts";
import { applyTransition, type TransitionParts } from "../executions/transition.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { Performance } from "./prepare-run.ts";

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

export interface RunRequestParts extends TransitionParts {
	readonly clock: EngineClock;
	readonly isWorkflow: (runnerName: string) => boolean;
}

/** A pause or the end of an execution that its own run asks for. */
export async function requestChange(
	parts: RunRequestParts,
	{ execution, run }: Performance,
	{ calls, change }: { readonly calls: RunCalls; readonly change: "pause" | "cancel" },
): Promise<void> {
	if (!parts.isWorkflow(execution.runner_name)) {
		throw new SvcError("SVC_RUNNER", `request: runner type "${execution.runner_name}" has not the capability workflow`);
	}
	await calls.outlast(async () => {
		for (;;) {
			const current = await parts.storage.get("execution", execution.id);
			if (current === undefined || current.fence !== run.fence || isCompleted(current.status)) throw calls.toLost();
			if (current.status === "canceling") return run.controller.abort(new RunAborted("cancel", "canceled by user"));
			if (change === "cancel") await cancelExecution(parts, current, { username: execution.user, isAdmin: false });
			else if (current.status === "pausing") return run.pausing.abort();
			else await pause(parts, current);
		}
	});
}

function pause(parts: RunRequestParts, current: ExecutionEntity): Promise<unknown> {
	const { status, fence } = current;
	// Who asked for an earlier one has not asked for this.
	const { paused_by: _by, ...context } = current.context;
	const patch = { ...toStatusPatch(current, "pausing", toTimestamp(parts.clock.now())), context };
	return applyTransition(parts, current, patch, { status, fence });
}
