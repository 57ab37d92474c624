import type { ExecutionEntity, ExecutionStatus } from "../../contract/index.ts";

/** Final states. */
export const completedStatuses: readonly ExecutionStatus[] = ["succeeded", "failed", "timeout", "canceled", "abandoned"];

const completed: ReadonlySet<ExecutionStatus> = new Set(completedStatuses);
const cancelable: ReadonlySet<ExecutionStatus> = new Set(["requested", "scheduled", "delayed", "running", "pausing", "paused", "resuming"]);

/** States in which somebody holds a lease on the execution. */
export const heldStatuses: readonly ExecutionStatus[] = ["scheduled", "running", "canceling", "pausing", "resuming"];

/** Whether the execution has begun, and nobody works at it until somebody else does something. */
export function isWaiting(status: ExecutionStatus): boolean {
	return status === "pending" || status === "paused";
}

/** Whether the status is final. A final status never changes. */
export function isCompleted(status: ExecutionStatus): boolean {
	return completed.has(status);
}

/** Whether a new execution has ended before it could begin, as its parameters cannot be rendered: nothing more is told of it. */
export function isEndedUntold({ status, attempt }: Pick<ExecutionEntity, "status" | "attempt">): boolean {
	return isCompleted(status) && attempt === 0;
}

/** Whether a cancel may be asked for. */
export function isCancelable(status: ExecutionStatus): boolean {
	return cancelable.has(status);
}
