import { type ExecutionEntity, RunAborted, SvcError } from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { cancelExecution } from "../executions/cancel.ts";
import { isCompleted } from "../executions/status.ts";
import { toStatusPatch } from "../executions/status-patch.ts";
import { applyTransition, type TransitionParts } from "../executions/transition.ts";
import type { RunCalls } from "./host-calls.ts";
import type { Performance } from "./performance.ts";

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
