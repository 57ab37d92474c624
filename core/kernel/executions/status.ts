import { append, type ExecutionEntity, type ExecutionStatus, type Patch, stringifyJson, toAppended } from "../../contract/index.ts";
import { secondsBetween } from "../basics/clock.ts";
import { withValues } from "./new-execution.ts";

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

export type ExecutionPatch = Patch<ExecutionEntity>;

/** What a lease held, and what its run was given: whoever ends a run takes that back with the same write. */
const released = { owner: null, fence: null, lease_expires_at: null, run_state: null, queue: null, token_hash: null } as const;

/** End of the lease of what anybody may go on with at once: whoever takes over what others have left finds it, too. */
export const longAgo = "1970-01-01T00:00:00.000000Z";

/** Nobody holds it, and it can be gone on with: the fence tells one pause from another, and what its run was given stays. */
const parted = { owner: null, lease_expires_at: null } as const;

/** To be claimed by any node, which goes on with it. */
export const toBeContinued = { owner: null, lease_expires_at: longAgo } as const;

/**
 * Patch that moves an execution to `status`: log entry, and for a final status the end and what the lease held. The
 * specification's log has one entry for each status reached, in order.
 */
export function toStatusPatch(entity: ExecutionEntity, status: ExecutionStatus, timestamp: string): ExecutionPatch {
	const moved: ExecutionPatch = { status, log: append({ status, timestamp }) };
	// Nobody works at what waits for an answer.
	if (status === "pending") return { ...moved, ...released };
	if (status === "paused") return { ...moved, ...parted };
	if (entity.status === "paused" && !isCompleted(status)) return { ...moved, ...toBeContinued };
	if (!isCompleted(status)) return moved;
	const elapsed = secondsBetween(entity.start_timestamp, timestamp);
	// Not behind a spread, to which to add members is slow.
	return { end_timestamp: timestamp, elapsed_seconds: elapsed, ...moved, ...released };
}

/** Result and its size, as they are stored together. */
export function toResultPatch(result: ExecutionEntity["result"]): ExecutionPatch {
	return { result, result_size: result === null ? null : Buffer.byteLength(stringifyJson(result)) };
}

/** The entity as storage has it once the patch is applied. */
export function applied(entity: ExecutionEntity, patch: ExecutionPatch): ExecutionEntity {
	const entry = toAppended(patch.log) as ExecutionEntity["log"][number] | undefined;
	const after = withValues(entity, patch as Partial<ExecutionEntity>);
	// Put in its place afterwards: to take it out of the patch costs as much as all the rest.
	return Object.assign(after, { log: entry === undefined ? entity.log : [...entity.log, entry] });
}
