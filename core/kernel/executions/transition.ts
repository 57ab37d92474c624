import {
	append,
	type EventBus,
	type ExecutionEntity,
	type ExecutionStatus,
	isSvcError,
	type Patch,
	type Storage,
	toAppended,
	type Where,
} from "../../contract/index.ts";
import { fromTimestamp } from "../basics/clock.ts";
import type { Endings } from "./endings.ts";
import { publishInterrupt, publishUpdated } from "./execution-events.ts";
import { isCompleted } from "./status.ts";

export type ExecutionPatch = Patch<ExecutionEntity>;

/** What a lease held. */
const released = { owner: null, fence: null, lease_expires_at: null, run_state: null, queue: null } as const;

/**
 * Patch that moves an execution to `status`: log entry, and for a final status the end and what the lease held. The
 * specification's log has one entry for each status reached, in order.
 */
export function toStatusPatch(entity: ExecutionEntity, status: ExecutionStatus, timestamp: string): ExecutionPatch {
	const moved: ExecutionPatch = { status, log: append({ status, timestamp }) };
	// Nobody works at what waits for an answer.
	if (status === "pending") return { ...moved, ...released };
	if (!isCompleted(status)) return moved;
	const elapsed = (fromTimestamp(timestamp) - fromTimestamp(entity.start_timestamp)) / 1_000_000;
	return { ...moved, end_timestamp: timestamp, elapsed_seconds: Math.max(0, elapsed), ...released };
}

/** Result and its size, as they are stored together. */
export function toResultPatch(result: ExecutionEntity["result"]): ExecutionPatch {
	return { result, result_size: result === null ? null : Buffer.byteLength(JSON.stringify(result)) };
}

/** The entity as storage has it once the patch is applied. */
export function applied(entity: ExecutionEntity, patch: ExecutionPatch): ExecutionEntity {
	const { log, ...rest } = patch;
	const entry = toAppended(log) as ExecutionEntity["log"][number] | undefined;
	return { ...entity, ...(rest as Partial<ExecutionEntity>), log: entry === undefined ? entity.log : [...entity.log, entry] };
}

export interface TransitionParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly endings: Endings;
}

/**
 * As `applyChange`, for a change that may end the execution: what the end causes is stored with it. `entity` is the execution
 * as it was read.
 */
export async function applyTransition(
	parts: TransitionParts,
	entity: ExecutionEntity,
	patch: ExecutionPatch,
	expected: Where<ExecutionEntity>,
): Promise<ExecutionEntity | undefined> {
	const ended = applied(entity, patch);
	if (!isCompleted(ended.status)) return applyChange(parts, entity.id, patch, expected);
	const { operations, announce } = await parts.endings.draft(ended);
	const isRunning = entity.fence !== null;
	if (operations.length === 0 && !isRunning) return applyChange(parts, entity.id, patch, expected);
	const ending = isRunning ? parts.endings.takeBack(entity) : [];
	try {
		await parts.storage.write([{ update: "execution", id: entity.id, patch, expected }, ...ending, ...operations]);
	} catch (error) {
		if (isSvcError(error, "SVC_CONFLICT")) return undefined;
		throw error;
	}
	tell(parts.eventBus, ended);
	announce();
	return ended;
}

/**
 * Apply a patch if the execution still satisfies `expected`, and tell everybody. Undefined when somebody else was faster:
 * read again and decide anew.
 */
export async function applyChange(
	{ storage, eventBus }: { readonly storage: Storage; readonly eventBus: EventBus },
	id: string,
	patch: ExecutionPatch,
	expected: Where<ExecutionEntity>,
): Promise<ExecutionEntity | undefined> {
	const changed = await storage.update("execution", id, patch, expected);
	if (changed !== undefined) tell(eventBus, changed);
	return changed;
}

function tell(eventBus: EventBus, changed: ExecutionEntity): void {
	publishUpdated(eventBus, changed);
	if (changed.status === "canceling" || isCompleted(changed.status)) publishInterrupt(eventBus, changed);
}
