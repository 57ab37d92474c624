import { type ExecutionEntity, RunAborted, SvcError } from "../../contract/index.ts";
import { retryWhileUnavailable } from "../../lib/retry-while-unavailable.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { cancelExecution } from "../executions/requested-changes.ts";
import { isCompleted, toStatusPatch } from "../executions/status.ts";
import { applyTransition, type TransitionOptions } from "../executions/transition.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { ActiveRun } from "./prepare-run.ts";

/**
 * Calls of a runner to the host. They are allowed while the run lasts and holds its execution. If the storage is unavailable, a call waits
 * for it, so that the run does not fail.
 */
export class HostCalls {
	readonly #activeRun: ActiveRun;
	readonly #logger: EngineDependencies["logger"];
	#isClosed = false;

	constructor(activeRun: ActiveRun, logger: EngineDependencies["logger"]) {
		this.#activeRun = activeRun;
		this.#logger = logger;
	}

	/** Refuses all further calls, because the run has ended. */
	close(): void {
		this.#isClosed = true;
	}

	/**
	 * Calls `attempt` until the storage is available, and returns its result. `isRetry` is true if an earlier attempt may have stored its
	 * changes although its response was lost. Throws `SVC_CONFLICT` if the run has ended or lost its execution. Throws `SVC_UNAVAILABLE`
	 * if the run ends, is lost or is shut down during the wait.
	 */
	async retryWhileUnavailable<T>(attempt: (isRetry: boolean) => Promise<T>): Promise<T> {
		const { execution, run } = this.#activeRun;
		const { signal } = run.controller;
		let result: { readonly value: T } | undefined;
		const isStopping = () => signal.reason instanceof RunAborted && signal.reason.kind === "shutdown";
		await retryWhileUnavailable(
			async (isRetry) => {
				this.assertHeld();
				result = { value: await attempt(isRetry) };
			},
			{
				shouldGiveUp: () => run.isLost || this.#isClosed || isStopping(),
				onUnavailable: (error) => this.#logger.warn("storage is away, a run waits for it", { execution_id: execution.id, error }),
			},
		);
		return (result as unknown as { readonly value: T }).value;
	}

	/** Throws `SVC_CONFLICT` if the run has ended or lost its execution. */
	assertHeld(): void {
		if (this.#activeRun.run.isLost || this.#isClosed) throw this.toLostError();
	}

	/** Returns the error `SVC_CONFLICT` of a call for an execution that this run does not hold any more. */
	toLostError(): SvcError {
		return new SvcError("SVC_CONFLICT", `execution "${this.#activeRun.execution.id}" is no longer this run's`);
	}
}

export interface RequestChangeOptions extends TransitionOptions, Uses<"clock" | "isWorkflow"> {}

/**
 * Stores a pause or a cancel that a run requests for its own execution, and aborts the signal of the run accordingly. If a cancel is
 * already stored, the run is canceled even if it requests a pause. Throws `SVC_RUNNER` unless the runner has the capability `workflow`.
 */
export async function requestChange(
	parts: RequestChangeOptions,
	{ execution, run }: ActiveRun,
	{ calls, change }: { readonly calls: HostCalls; readonly change: "pause" | "cancel" },
): Promise<void> {
	if (!parts.isWorkflow(execution.runner_name)) {
		throw new SvcError("SVC_RUNNER", `request: runner type "${execution.runner_name}" has not the capability workflow`);
	}
	await calls.retryWhileUnavailable(async () => {
		for (;;) {
			const current = await parts.storage.get("execution", execution.id);
			if (current === undefined || current.fence !== run.fence || isCompleted(current.status)) throw calls.toLostError();
			if (current.status === "canceling") return run.controller.abort(new RunAborted("cancel", "canceled by user"));
			if (change === "cancel") await cancelExecution(parts, current, { username: execution.user, isAdmin: false });
			else if (current.status === "pausing") return run.pauseController.abort();
			else await pause(parts, current);
		}
	});
}

function pause(parts: RequestChangeOptions, current: ExecutionEntity): Promise<unknown> {
	const { status, fence } = current;
	// `paused_by` names the user of an earlier pause, who has not requested this one.
	const { paused_by: _by, ...context } = current.context;
	const patch = { ...toStatusPatch(current, "pausing", toTimestamp(parts.clock.now())), context };
	return applyTransition(parts, current, patch, { status, fence });
}
