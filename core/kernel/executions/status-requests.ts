import { type ExecutionEntity, type ExecutionStatus, type JsonObject, type Storage, SvcError } from "../../contract/index.ts";
import { inquiryRunnerType } from "../../language/inquiry-schema.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { Principal } from "../basics/principal.ts";
import type { StatusChange } from "./executions-api.ts";
import { addLogActor } from "./log-actor.ts";
import { assertResumable, type ResumeCheckDependencies } from "./resume-check.ts";
import { type ExecutionPatch, isCompleted, toCancelPatch, toResultPatch, toStatusPatch } from "./status.ts";
import { applyTransition, type TransitionDependencies } from "./transition.ts";

interface CancelDependencies extends TransitionDependencies, Uses<"clock"> {}

export interface StatusChangeDependencies extends CancelDependencies, ResumeCheckDependencies, Uses<"isWorkflow"> {}

/**
 * Cancels an execution. An execution whose run has started becomes `canceling`, and the node that holds the run ends it. Any other
 * execution becomes `canceled` at once. Only the parent (`byParent`) and administrators cancel a question itself; other users answer it.
 * Returns the execution as it is stored. `refused` is the reason if the status does not allow a cancellation. Throws `SVC_NOT_FOUND` if the
 * execution is deleted in the meantime, and `SVC_INVALID` if the reason is too long.
 */
export async function cancelExecution(
	parts: CancelDependencies,
	execution: ExecutionEntity,
	principal: Pick<Principal, "username" | "isAdmin" | "credential">,
	{ byParent = false, reason }: { readonly byParent?: boolean; readonly reason?: string | undefined } = {},
): Promise<{ readonly entity: ExecutionEntity; readonly refused?: string }> {
	for (let entity = execution; ; ) {
		if (entity.status === "canceled") return { entity };
		if (!mayCancel(entity, byParent || principal.isAdmin))
			return { entity, refused: `execution "${entity.id}" cannot be canceled in state "${entity.status}"` };
		const cancelPatch = toCancelPatch(entity, principal, toTimestamp(parts.clock.now()));
		const patch = byParent ? cancelPatch : addLogActor(cancelPatch, principal, reason);
		const changedExecution = await applyTransition(parts, entity, patch, { status: entity.status });
		if (changedExecution !== undefined) return { entity: changedExecution };
		entity = await readAgain(parts.storage, entity.id);
	}
}

const cancelable: ReadonlySet<ExecutionStatus> = new Set(["requested", "scheduled", "delayed", "running", "pausing", "paused", "resuming"]);

function mayCancel({ status }: ExecutionEntity, canCancelQuestions: boolean): boolean {
	return cancelable.has(status) || (canCancelQuestions && status === "pending");
}

/**
 * Changes the status of an execution on a request, and returns the execution as it is stored. Throws `SVC_INVALID` if the execution cannot
 * have the requested status next, and `SVC_NOT_FOUND` if the execution is deleted in the meantime. Throws `SVC_CONFLICT` for a resume if
 * every open branch of the workflow waits for an answer, unless the parent workflow requests it (`byParent`).
 */
export async function changeStatus(
	parts: StatusChangeDependencies,
	execution: ExecutionEntity,
	change: StatusChange,
	principal: Principal,
	{ byParent = false } = {},
): Promise<ExecutionEntity> {
	const { status } = change;
	if (status === undefined) throw new SvcError("SVC_INVALID", "status: is a required property");
	for (let entity = execution; ; ) {
		if (isCompleted(entity.status))
			throw new SvcError("SVC_INVALID", `status: execution "${entity.id}" is already completed with "${entity.status}"`);
		if (entity.status === status) return entity;
		if (status === "canceling" || (status === "canceled" && mayCancel(entity, principal.isAdmin))) {
			const { entity: canceled, refused } = await cancelExecution(parts, entity, principal, { reason: change.reason });
			if (refused !== undefined) throw new SvcError("SVC_INVALID", `status: ${refused}`);
			return canceled;
		}
		const patch = toChange(parts, entity, { ...change, status }, principal);
		if (patch === undefined) return entity;
		if (status === "resuming" && !byParent) await assertResumable(parts, entity);
		const loggedPatch = byParent ? patch : addLogActor(patch, principal, change.reason);
		const changedExecution = await applyTransition(parts, entity, loggedPatch, { status: entity.status, fence: entity.fence });
		if (changedExecution !== undefined) return changedExecution;
		entity = await readAgain(parts.storage, entity.id);
	}
}

/** Returns the patch of a requested change. Returns undefined if the node that holds the run makes the change, or has already made it. */
function toChange(
	{ clock, isWorkflow }: StatusChangeDependencies,
	entity: ExecutionEntity,
	{ status, result }: { readonly status: ExecutionStatus; readonly result?: JsonObject },
	principal: Principal,
): ExecutionPatch | undefined {
	const timestamp = toTimestamp(clock.now());
	if (isPausing(status)) {
		if (isWorkflow(entity.runner_name)) return toPauseChange(entity, status, { principal, timestamp });
		throw new SvcError("SVC_INVALID", `status: runner type "${entity.runner_name}" does not support pause and resume`);
	}
	assertNoAnswer(entity, { status, result });
	if (isWorkflow(entity.runner_name)) {
		// A workflow becomes `canceled` only after all of its child executions have ended; the node that holds the run makes that change.
		if (entity.status === "canceling" && status === "canceled") return undefined;
		assertNotInPause(entity, status);
	}
	return { ...toStatusPatch(entity, status, timestamp), ...(result !== undefined && toResultPatch(result)) };
}

/**
 * Throws `SVC_INVALID` if a change of status would answer a question. Questions must be answered through their own route, because only that
 * route checks the user and the answer.
 */
function assertNoAnswer(
	{ id, status, runner_name }: ExecutionEntity,
	requested: { readonly status: ExecutionStatus; readonly result?: JsonObject | undefined },
): void {
	if (status === "pending") throw new SvcError("SVC_INVALID", `status: execution "${id}" waits for an answer to its inquiry`);
	if (runner_name !== inquiryRunnerType || (requested.status === "canceled" && requested.result === undefined)) return;
	const hint = `it can be canceled, or answered by svc inquiry respond ${id} once it is pending`;
	throw new SvcError(
		"SVC_INVALID",
		`status: execution "${id}" is an inquiry and cannot be set to "${requested.status}" by a client; ${hint}`,
	);
}

type PauseStatus = "pausing" | "paused" | "resuming";

function isPausing(status: ExecutionStatus): status is PauseStatus {
	return status === "pausing" || status === "paused" || status === "resuming";
}

/**
 * Returns the patch of a pause or resume of a workflow; undefined if it already has, or is about to have, the requested status.
 * A request sets `pausing` at most: the runner decides when the execution is `paused`.
 */
function toPauseChange(
	entity: ExecutionEntity,
	requested: PauseStatus,
	{ principal, timestamp }: { readonly principal: Principal; readonly timestamp: string },
): ExecutionPatch | undefined {
	const { id, status, context } = entity;
	const isPause = requested !== "resuming";
	if ((isPause ? ["pausing", "paused"] : ["running", "resuming"]).includes(status)) return undefined;
	if (isPause && status === "running") {
		return { ...toStatusPatch(entity, "pausing", timestamp), context: { ...context, paused_by: principal.username } };
	}
	if (!isPause && status === "paused") {
		return { ...toStatusPatch(entity, "resuming", timestamp), context: { ...context, resumed_by: principal.username } };
	}
	const requiredStatus = isPause ? "running" : "paused";
	throw new SvcError("SVC_INVALID", `status: execution "${id}" cannot become "${requested}": it is "${status}", not ${requiredStatus}`);
}

/** Throws `SVC_INVALID` if a pausing or paused workflow would get a status that is not final, because no node would then resume it. */
function assertNotInPause({ id, status }: ExecutionEntity, requested: ExecutionStatus): void {
	if (!isPausing(status) || isCompleted(requested)) return;
	throw new SvcError(
		"SVC_INVALID",
		`status: execution "${id}" is "${status}"; it can be resumed, canceled or completed, but not set to "${requested}"`,
	);
}

async function readAgain(storage: Storage, id: string): Promise<ExecutionEntity> {
	const entity = await storage.get("execution", id);
	if (entity === undefined) throw new SvcError("SVC_NOT_FOUND", `execution "${id}" cannot be found`);
	return entity;
}
