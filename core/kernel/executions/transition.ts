import { randomUUID } from "node:crypto";
import { type EventBus, type ExecutionEntity, isSvcError, type Storage, type Where, type WriteOperation } from "../../contract/index.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { type CompletionEffects, noCompletionEffects } from "./completion-effects.ts";
import { publishResumable, publishTransition } from "./execution-events.ts";
import { withExecutionFields } from "./new-execution.ts";
import { applyPatch, type ExecutionPatch, isCompleted, isWaiting, toStatusPatch } from "./status.ts";

export interface TransitionDependencies extends Uses<"storage" | "eventBus"> {
	readonly completionEffects: CompletionEffects;
}

/**
 * Stores a change that may end or resume an execution, with its effects: completion effects, wake-ups of parents and the revocation of run
 * credentials. All are stored in one write, or none. Then publishes the changes. Returns the changed execution, or undefined if a
 * concurrent write has changed the execution, one of its children or parents. The caller must then read again and decide anew.
 *
 * @param entity the execution as it was read
 * @param expected conditions that the stored execution must still satisfy
 */
export async function applyTransition(
	parts: TransitionDependencies,
	entity: ExecutionEntity,
	patch: ExecutionPatch,
	expected: Where<ExecutionEntity>,
): Promise<ExecutionEntity | undefined> {
	const after = applyPatch(entity, patch);
	const wakeup = await draftParentWakeup(parts.storage, entity, after.log.at(-1)?.timestamp ?? "");
	const { operations, announce, executionPatch, descendantOperations } = isCompleted(after.status)
		? await parts.completionEffects.draft(after)
		: noCompletionEffects;
	const revocations = isCompleted(after.status) && entity.fence !== null ? parts.completionEffects.revokeCredentials(entity) : [];
	const changedExecution = withExecutionFields(after, executionPatch);
	const effects = [...wakeup.operations, ...revocations, ...operations];
	if (effects.length + descendantOperations.length === 0) return applyChange(parts, entity.id, patch, expected);
	try {
		await parts.storage.write([
			...descendantOperations,
			{ update: "execution", id: entity.id, patch: { ...patch, ...executionPatch }, expected },
			...effects,
		]);
	} catch (error) {
		if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		announceResumableAgain(parts.eventBus);
		return undefined;
	}
	for (const execution of [changedExecution, ...wakeup.resumed]) publishTransition(parts.eventBus, execution);
	if (wakeup.operations.length > wakeup.resumed.length) announceResumableAgain(parts.eventBus);
	announce();
	return changedExecution;
}

/**
 * Stores a patch if the execution still satisfies `expected`, and publishes the change. Returns the changed execution, or undefined if a
 * concurrent write was faster. The caller must then read again and decide anew.
 */
export async function applyChange(
	{ storage, eventBus }: { readonly storage: Storage; readonly eventBus: EventBus },
	id: string,
	patch: ExecutionPatch,
	expected: Where<ExecutionEntity>,
): Promise<ExecutionEntity | undefined> {
	const changedExecution = await storage.update("execution", id, patch, expected);
	if (changedExecution === undefined) announceResumableAgain(eventBus);
	else publishTransition(eventBus, changedExecution);
	return changedExecution;
}

/**
 * Announces once more that executions may wait to be resumed. The node that released a resumable execution has already announced it. But a
 * concurrent claim (`Storage.claim`) skips a row that another write locks, even if that write changes nothing. So every such write must
 * announce again; otherwise the execution would wait for the next poll.
 */
function announceResumableAgain(eventBus: EventBus): void {
	publishResumable(eventBus);
}

/** Effects of a status change of a child on its paused ancestors. */
interface ParentWakeup {
	/** Operations to store in the same write as the change of the child, all or nothing. */
	readonly operations: readonly WriteOperation[];
	/** The resumed ancestors, as these operations store them. */
	readonly resumed: readonly ExecutionEntity[];
}

const noWakeup: ParentWakeup = { operations: [], resumed: [] };

/**
 * Drafts the writes that wake the parents of a child that leaves a waiting state, such as an answered question or a resumed pause. A paused
 * parent is resumed, and so is its own paused parent.
 *
 * No wake-up is lost, because the write of the child also writes the parent:
 *
 * - If the parent is paused, the write resumes it.
 * - Otherwise the write changes the parent's `stirred`. A pause (runs/run-completion.ts) reads `stirred` first, then checks all children,
 *   and its write expects the same `stirred`. The check sees changes of children that were stored before it. A later change makes the write
 *   of the pause fail, and the check is repeated.
 * - A child that a node works on has left its waiting state earlier. A runner that has read such a child does not pause.
 *
 * All writes of an execution tree lock rows from the child upwards, so that no two of them deadlock.
 */
async function draftParentWakeup(storage: Storage, child: ExecutionEntity, timestamp: string): Promise<ParentWakeup> {
	if (!isWaiting(child.status) || child.parent_id === null) return noWakeup;
	const parent = await storage.get("execution", child.parent_id);
	if (parent === undefined || isCompleted(parent.status)) return noWakeup;
	const stirred = randomUUID();
	if (parent.status !== "paused") {
		const expected = { status: { not: "paused" } } as const;
		return { operations: [{ update: "execution", id: parent.id, patch: { stirred }, expected }], resumed: [] };
	}
	// No user has requested this resume, so remove the name of the user who requested an earlier one.
	const { resumed_by: _by, ...context } = parent.context;
	const patch: ExecutionPatch = { ...toStatusPatch(parent, "resuming", timestamp), stirred, context };
	const above = await draftParentWakeup(storage, parent, timestamp);
	const expected = { status: "paused", fence: parent.fence } as const;
	return {
		operations: [{ update: "execution", id: parent.id, patch, expected }, ...above.operations],
		resumed: [applyPatch(parent, patch), ...above.resumed],
	};
}
