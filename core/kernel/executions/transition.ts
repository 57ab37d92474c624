import { type EventBus, type ExecutionEntity, isSvcError, type Storage, type Where } from "../../contract/index.ts";
import { type Endings, nothingFollows } from "./completion-effects.ts";
import { publishInterrupt, publishReady, publishUpdated } from "./execution-events.ts";
import { withValues } from "./new-execution.ts";
import { draftStir } from "./parent-wakeup.ts";
import { applied, type ExecutionPatch, isCompleted, longAgo } from "./status.ts";

export interface TransitionParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly endings: Endings;
}

/**
 * Stores a change that may end or resume an execution, with its effects: completion effects, wake-ups of parents and the revocation of
 * run credentials. All are stored in one write, or none. Then publishes the changes. Returns the changed execution, or undefined if a
 * concurrent write has changed the execution, one of its children or parents; the caller reads again and decides anew.
 *
 * @param entity the execution as it was read
 * @param expected conditions that the stored execution must still satisfy
 */
export async function applyTransition(
	parts: TransitionParts,
	entity: ExecutionEntity,
	patch: ExecutionPatch,
	expected: Where<ExecutionEntity>,
): Promise<ExecutionEntity | undefined> {
	const after = applied(entity, patch);
	const wakeup = await draftStir(parts.storage, entity, after.log.at(-1)?.timestamp ?? "");
	const { operations, announce, mark, below } = isCompleted(after.status) ? await parts.endings.draft(after) : nothingFollows;
	const revocations = isCompleted(after.status) && entity.fence !== null ? parts.endings.takeBack(entity) : [];
	const changedExecution = withValues(after, mark);
	const effects = [...wakeup.operations, ...revocations, ...operations];
	if (effects.length + below.length === 0) return applyChange(parts, entity.id, patch, expected);
	try {
		await parts.storage.write([...below, { update: "execution", id: entity.id, patch: { ...patch, ...mark }, expected }, ...effects]);
	} catch (error) {
		if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		announceResumableAgain(parts.eventBus);
		return undefined;
	}
	for (const execution of [changedExecution, ...wakeup.resumed]) tell(parts.eventBus, execution);
	if (wakeup.operations.length > wakeup.resumed.length) announceResumableAgain(parts.eventBus);
	announce();
	return changedExecution;
}

/**
 * Stores a patch if the execution still satisfies `expected`, and publishes the change. Returns the changed execution, or undefined if a
 * concurrent write was faster; the caller reads again and decides anew.
 */
export async function applyChange(
	{ storage, eventBus }: { readonly storage: Storage; readonly eventBus: EventBus },
	id: string,
	patch: ExecutionPatch,
	expected: Where<ExecutionEntity>,
): Promise<ExecutionEntity | undefined> {
	const changedExecution = await storage.update("execution", id, patch, expected);
	if (changedExecution === undefined) announceResumableAgain(eventBus);
	else tell(eventBus, changedExecution);
	return changedExecution;
}

/** Publishes a stored change, and notifies the nodes that must resume or interrupt the execution because of it. */
export function tell(eventBus: EventBus, execution: ExecutionEntity): void {
	publishUpdated(eventBus, execution);
	if (execution.lease_expires_at === longAgo) publishReady(eventBus);
	else if (["canceling", "pausing"].includes(execution.status) || isCompleted(execution.status)) publishInterrupt(eventBus, execution);
}

/**
 * Announces once more that executions may wait to be resumed. The node that released a resumable execution has announced it. But a
 * concurrent claim (`Storage.claim`) skips rows that another write locks, even if that write changes nothing. So every such write
 * announces again; otherwise the execution would wait for the next poll.
 */
function announceResumableAgain(eventBus: EventBus): void {
	publishReady(eventBus);
}
