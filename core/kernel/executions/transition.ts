import { type EventBus, type ExecutionEntity, isSvcError, type Storage, type Where } from "../../contract/index.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { type CompletionEffects, noCompletionEffects } from "./completion-effects.ts";
import { publishResumable, publishTransition } from "./execution-events.ts";
import { withExecutionFields } from "./new-execution.ts";
import { draftParentWakeup } from "./parent-wakeup.ts";
import { applyPatch, type ExecutionPatch, isCompleted } from "./status.ts";

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
