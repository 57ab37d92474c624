import { append, appendedValueOf, type ExecutionEntity, type ExecutionStatus, type Patch, stringifyJson } from "../../contract/index.ts";
import { secondsBetween } from "../basics/clock.ts";
import type { Principal } from "../basics/principal.ts";
import { withExecutionFields } from "./new-execution.ts";

/** Final statuses. */
export const completedStatuses: readonly ExecutionStatus[] = ["succeeded", "failed", "timeout", "canceled", "abandoned"];

const completed: ReadonlySet<ExecutionStatus> = new Set(completedStatuses);

/** Statuses in which a node holds the execution, or may take it over once its lease has expired or was released. */
export const heldStatuses: readonly ExecutionStatus[] = ["scheduled", "running", "canceling", "pausing", "resuming"];

/** Returns true if an execution with this status has started but no node works on it until an answer, a request or a child resumes it. */
export function isWaiting(status: ExecutionStatus): boolean {
	return status === "pending" || status === "paused";
}

/** Returns true if the status is final. A final status never changes. */
export function isCompleted(status: ExecutionStatus): boolean {
	return completed.has(status);
}

/**
 * Returns true if an execution has ended before it started, for example because its parameters cannot be rendered. For an execution that is
 * inserted in this state, no later event reports its end.
 */
export function hasEndedBeforeStart({ status, attempt }: Pick<ExecutionEntity, "status" | "attempt">): boolean {
	return isCompleted(status) && attempt === 0;
}

/** A change of fields of an execution. */
export type ExecutionPatch = Patch<ExecutionEntity>;

/**
 * Clears lease, run state, queue and run credentials. The write that ends a run revokes the credentials, so a final execution never has
 * valid credentials.
 */
const endedRunFields = { owner: null, fence: null, lease_expires_at: null, run_state: null, queue: null, token_hash: null } as const;

/** A lease expiry in the past: any node may resume the execution at once, and orphan recovery finds it too. */
export const expiredLeaseTimestamp = "1970-01-01T00:00:00.000000Z";

/**
 * Fields of a paused execution. Owner and lease expiry are cleared. The fence stays, because it distinguishes successive pauses. The token
 * stays, because the resumed run uses it again.
 */
const pausedRunFields = { owner: null, lease_expires_at: null } as const;

/** Lease fields of an execution that any node may claim and resume. */
export const resumableLease = { owner: null, lease_expires_at: expiredLeaseTimestamp } as const;

/**
 * Returns the patch that moves an execution to `status`. It appends a log entry; the log of the specification has one entry for each
 * status, in order. For a final status it also sets end and duration, and clears the fields of the lease and the run.
 */
export function toStatusPatch(entity: ExecutionEntity, status: ExecutionStatus, timestamp: string): ExecutionPatch {
	const statusFields: ExecutionPatch = { status, log: append({ status, timestamp }) };
	// No node works on a question while it waits for its answer.
	if (status === "pending") return { ...statusFields, ...endedRunFields };
	if (status === "paused") return { ...statusFields, ...pausedRunFields };
	if (entity.status === "paused" && !isCompleted(status)) return { ...statusFields, ...resumableLease };
	if (!isCompleted(status)) return statusFields;
	const elapsed = secondsBetween(entity.start_timestamp, timestamp);
	// Set single members before the spreads, because adding members after a spread is slow.
	return { end_timestamp: timestamp, elapsed_seconds: elapsed, ...statusFields, ...endedRunFields };
}

/**
 * Returns the patch that cancels an execution. If its run has started, the status becomes `canceling`, and the node that holds the run ends
 * it. Any other execution becomes `canceled` at once.
 */
export function toCancelPatch(entity: ExecutionEntity, principal: Pick<Principal, "username">, timestamp: string): ExecutionPatch {
	const context = { ...entity.context, cancelled_by: principal.username };
	const result = { message: "Action canceled by user.", user: principal.username };
	const hasStarted = !["requested", "delayed", "scheduled", "pending"].includes(entity.status);
	// This also applies to children: if no node holds the parent, no node would end a child that is `canceling` and has not started.
	const status = hasStarted ? "canceling" : "canceled";
	return { ...toStatusPatch(entity, status, timestamp), ...toResultPatch(result), context };
}

/** Returns the patch of a result with its size in bytes. */
export function toResultPatch(result: ExecutionEntity["result"]): ExecutionPatch {
	return { result, result_size: result === null ? null : Buffer.byteLength(stringifyJson(result)) };
}

/** Returns the execution as it is stored after the patch. */
export function applyPatch(entity: ExecutionEntity, patch: ExecutionPatch): ExecutionEntity {
	const entry = appendedValueOf(patch.log) as ExecutionEntity["log"][number] | undefined;
	const after = withExecutionFields(entity, patch as Partial<ExecutionEntity>);
	// Replace the log afterwards: removing it from the patch first would take as long as the rest of this function.
	return Object.assign(after, { log: entry === undefined ? entity.log : [...entity.log, entry] });
}
