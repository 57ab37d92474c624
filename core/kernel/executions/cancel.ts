import { type Clock, type ExecutionEntity, type ExecutionStatus, type JsonObject, type Storage, SvcError } from "../../contract/index.ts";

import { askingRunner } from "../../language/inquiry-schema.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Principal } from "../basics/principal.ts";
import { type AwaitedQuestionParts, assertResumable } from "./awaited-answers.ts";
import { toCancelPatch } from "./cancel-patch.ts";
import { signed } from "./signed-patch.ts";
import { type ExecutionPatch, isCancelable, isCompleted, toResultPatch, toStatusPatch } from "./status.ts";

import { applyTransition, type TransitionParts } from "./transition.ts";

interface Parts extends TransitionParts {
	readonly clock: Clock;
}

export interface ChangeParts extends Parts, AwaitedQuestionParts {
	/** Whether executions of this runner type are made of others. */
	readonly isWorkflow: (runnerName: string) => boolean;
}

/**
 * Ask for the end of an execution (reference 9.2, 9.3). What runs, or has a parent, becomes `canceling`, and whoever runs it
 * ends it; anything else is `canceled` at once. A question ends with what has asked it (`byParent`), and for administrators: others
 * answer it. `refused` says why it is too late.
 */
export async function cancelExecution(
	parts: Parts,
	found: ExecutionEntity,
	principal: Pick<Principal, "username" | "isAdmin" | "credential">,
	{ byParent = false, reason }: { readonly byParent?: boolean; readonly reason?: string | undefined } = {},
): Promise<{ readonly entity: ExecutionEntity; readonly refused?: string }> {
	for (let entity = found; ; ) {
		if (entity.status === "canceled") return { entity };
		if (!mayCancel(entity, byParent || principal.isAdmin))
			return { entity, refused: `execution "${entity.id}" cannot be canceled in state "${entity.status}"` };
		const unsigned = toCancelPatch(entity, principal, toTimestamp(parts.clock.now()));
		const patch = byParent ? unsigned : signed(unsigned, principal, reason);
		const changed = await applyTransition(parts, entity, patch, { status: entity.status });
		if (changed !== undefined) return { entity: changed };
		entity = await readAgain(parts.storage, entity.id);
	}
}

function mayCancel({ status }: ExecutionEntity, evenQuestions: boolean): boolean {
	return isCancelable(status) || (evenQuestions && status === "pending");
}

/** A change of state that a request asks for. */
export interface StatusChange {
	readonly status?: ExecutionStatus;
	readonly result?: JsonObject;
	/** Kept in the log entry of the state. */
	readonly reason?: string;
}

/**
 * Changes the status from outside. A resume of a workflow of which every open branch waits for an answer is refused with `SVC_CONFLICT`,
 * unless the workflow above asks for it (`byParent`).
 */
export async function changeStatus(
	parts: ChangeParts,
	found: ExecutionEntity,
	change: StatusChange,
	principal: Principal,
	{ byParent = false } = {},
): Promise<ExecutionEntity> {
	const { status } = change;
	if (status === undefined) throw new SvcError("SVC_INVALID", "status: is a required property");
	for (let entity = found; ; ) {
		if (isCompleted(entity.status))
			throw new SvcError("SVC_INVALID", `status: execution "${entity.id}" is already completed with "${entity.status}"`);
		if (entity.status === status) return entity;
		if (status === "canceling" || (status === "canceled" && mayCancel(entity, principal.isAdmin))) {
			return (await cancelOrRefuse(parts, entity, { principal, reason: change.reason })).entity;
		}
		const patch = toChange(parts, entity, { ...change, status }, principal);
		if (patch === undefined) return entity;
		if (status === "resuming" && !byParent) await assertResumable(parts, entity);
		const kept = byParent ? patch : signed(patch, principal, change.reason);
		const changed = await applyTransition(parts, entity, kept, { status: entity.status, fence: entity.fence });
		if (changed !== undefined) return changed;
		entity = await readAgain(parts.storage, entity.id);
	}
}

/** Undefined: it is left to whoever runs it. */
function toChange(
	{ clock, isWorkflow }: ChangeParts,
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
		// It is canceled once all that it is made of has ended.
		if (entity.status === "canceling" && status === "canceled") return undefined;
		assertNotInPause(entity, status);
	}
	return { ...toStatusPatch(entity, status, timestamp), ...(result !== undefined && toResultPatch(result)) };
}

/** Refuses to answer a question by a change of state: only the route for answers checks the user and the answer. Holds in every state of the execution. */
function assertNoAnswer(
	{ id, status, runner_name }: ExecutionEntity,
	asked: { readonly status: ExecutionStatus; readonly result?: JsonObject | undefined },
): void {
	if (status === "pending") throw new SvcError("SVC_INVALID", `status: execution "${id}" waits for an answer to its inquiry`);
	if (runner_name !== askingRunner || (asked.status === "canceled" && asked.result === undefined)) return;
	const hint = `it can be canceled, or answered by svc inquiry respond ${id} once it is pending`;
	throw new SvcError(
		"SVC_INVALID",
		`status: execution "${id}" asks an inquiry and cannot be set to "${asked.status}" from outside; ${hint}`,
	);
}

type PauseStatus = "pausing" | "paused" | "resuming";

function isPausing(status: ExecutionStatus): status is PauseStatus {
	return status === "pausing" || status === "paused" || status === "resuming";
}

/** Of an execution that can pause. When it is paused is for its runner to say. */
function toPauseChange(
	entity: ExecutionEntity,
	asked: PauseStatus,
	{ principal, timestamp }: { readonly principal: Principal; readonly timestamp: string },
): ExecutionPatch | undefined {
	const { id, status, context } = entity;
	const isPause = asked !== "resuming";
	if ((isPause ? ["pausing", "paused"] : ["running", "resuming"]).includes(status)) return undefined;
	if (isPause && status === "running") {
		return { ...toStatusPatch(entity, "pausing", timestamp), context: { ...context, paused_by: principal.username } };
	}
	if (!isPause && status === "paused") {
		return { ...toStatusPatch(entity, "resuming", timestamp), context: { ...context, resumed_by: principal.username } };
	}
	const needed = isPause ? "running" : "paused";
	throw new SvcError("SVC_INVALID", `status: execution "${id}" cannot become "${asked}", as it is not ${needed}; it is "${status}"`);
}

/** Nobody would go on with it. */
function assertNotInPause({ id, status }: ExecutionEntity, asked: ExecutionStatus): void {
	if (!isPausing(status) || isCompleted(asked)) return;
	throw new SvcError(
		"SVC_INVALID",
		`status: execution "${id}" is "${status}"; it can be resumed, canceled or completed, not become "${asked}"`,
	);
}

async function cancelOrRefuse(
	parts: Parts,
	entity: ExecutionEntity,
	{ principal, reason }: { readonly principal: Principal; readonly reason: string | undefined },
) {
	const canceled = await cancelExecution(parts, entity, principal, { reason });
	if (canceled.refused !== undefined) throw new SvcError("SVC_INVALID", `status: ${canceled.refused}`);
	return canceled;
}

async function readAgain(storage: Storage, id: string): Promise<ExecutionEntity> {
	const entity = await storage.get("execution", id);
	if (entity === undefined) throw new SvcError("SVC_NOT_FOUND", `execution "${id}" cannot be found`);
	return entity;
}
