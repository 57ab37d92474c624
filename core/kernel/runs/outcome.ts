import { type ExecutionEntity, type ExecutionStatus, type JsonObject, RunAborted, type RunResult } from "../../contract/index.ts";
import { type HiddenDirectory, toErrorResult } from "../executions/error-result.ts";

/** Status and result of a run before they are stored. */
export interface RunOutcome {
	readonly status: ExecutionStatus;
	readonly result: JsonObject;
}

/** Returns the outcome that the runner reports, or the outcome that follows from the abort reason if the run was aborted. */
export function toOutcome(result: RunResult, signal: AbortSignal, execution: ExecutionEntity): RunOutcome {
	const reason: unknown = signal.reason;
	if (result.status === "running") return toHandOver(result, reason);
	// A pause ignores the abort reason: even a canceled run may pause first, and ends its children when it is resumed.
	if (result.status === "paused" || result.status === "resuming") return { status: result.status, result: result.result };
	if (result.status === "pending" && !isCancelReason(reason)) return { status: "pending", result: result.result };
	// A run that succeeded before it noticed the abort counts as succeeded.
	if (!signal.aborted || result.succeeded || !(reason instanceof RunAborted)) {
		return { status: result.succeeded ? "succeeded" : (result.status ?? "failed"), result: result.result };
	}
	if (reason.kind === "cancel") return toCanceled(execution, result.result);
	const error = typeof result.result["error"] === "string" ? result.result["error"] : reason.message;
	return { status: reason.kind === "timeout" ? "timeout" : "abandoned", result: { ...result.result, error } };
}

export function isCancelReason(reason: unknown): boolean {
	return reason instanceof RunAborted && reason.kind === "cancel";
}

/**
 * Returns the outcome `running`: the work continues without the service. Unless the service is stopping, that is an error of the runner,
 * and the run fails.
 */
function toHandOver(result: RunResult, reason: unknown): RunOutcome {
	if (reason instanceof RunAborted && reason.kind === "shutdown") return { status: "running", result: {} };
	return { status: "failed", result: { ...result.result, error: "the runner left its work although the service does not stop" } };
}

/** Returns the outcome of a canceled run. `user` is the user who canceled it; if none is stored, the user of the execution. */
export function toCanceled(execution: ExecutionEntity, result: JsonObject): RunOutcome {
	const user = execution.context["cancelled_by"] ?? execution.user;
	return { status: "canceled", result: { ...result, message: "Action canceled by user.", user } };
}

/** Returns the outcome for an error that was thrown: it contains only message and stack, without the `hidden` directories. */
export function toFailure(error: unknown, hidden: readonly HiddenDirectory[]): RunOutcome {
	return { status: "failed", result: toErrorResult(error, hidden) };
}
