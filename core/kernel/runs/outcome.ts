import { type ExecutionEntity, type ExecutionStatus, type JsonObject, RunAborted, type RunResult } from "../../contract/index.ts";
import { type HiddenPlace, toErrorResult } from "../executions/error-result.ts";

/** How a run ended, before it is recorded. */
export interface Outcome {
	readonly status: ExecutionStatus;
	readonly result: JsonObject;
}

/** What the runner says, unless the run was ended: then the reason decides. */
export function toOutcome(result: RunResult, signal: AbortSignal, execution: ExecutionEntity): Outcome {
	const reason: unknown = signal.reason;
	if (result.status === "running") return toLeft(result, reason);
	// Whatever ends it meanwhile is for whoever goes on with it: what it is made of has to end first.
	if (result.status === "paused" || result.status === "resuming") return { status: result.status, result: result.result };
	if (result.status === "pending" && !isCanceled(reason)) return { status: "pending", result: result.result };
	// A run that succeeded before it noticed the signal did succeed.
	if (!signal.aborted || result.succeeded || !(reason instanceof RunAborted)) {
		return { status: result.succeeded ? "succeeded" : (result.status ?? "failed"), result: result.result };
	}
	if (reason.kind === "cancel") return toCanceled(execution, result.result);
	const error = typeof result.result["error"] === "string" ? result.result["error"] : reason.message;
	return { status: reason.kind === "timeout" ? "timeout" : "abandoned", result: { ...result.result, error } };
}

export function isCanceled(reason: unknown): boolean {
	return reason instanceof RunAborted && reason.kind === "cancel";
}

/** The work goes on without the service: possible when the service stops, and at no other time. */
function toLeft(result: RunResult, reason: unknown): Outcome {
	if (reason instanceof RunAborted && reason.kind === "shutdown") return { status: "running", result: {} };
	return { status: "failed", result: { ...result.result, error: "the runner left its work although the service does not stop" } };
}

export function toCanceled(execution: ExecutionEntity, result: JsonObject): Outcome {
	const user = execution.context["cancelled_by"] ?? execution.user;
	return { status: "canceled", result: { ...result, message: "Action canceled by user.", user } };
}

/** The runner could not do its work (reference A.1.3): message and stack, nothing else. */
export function toFailure(error: unknown, hidden: readonly HiddenPlace[]): Outcome {
	return { status: "failed", result: toErrorResult(error, hidden) };
}
