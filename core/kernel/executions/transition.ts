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
 * As `applyChange`, for a change that may end the execution, or have it go on: what that causes is stored with it. `entity` is the
 * execution as it was read.
 */
export async function applyTransition(
	parts: TransitionParts,
	entity: ExecutionEntity,
	patch: ExecutionPatch,
	expected: Where<ExecutionEntity>,
): Promise<ExecutionEntity | undefined> {
	const after = applied(entity, patch);
	const stir = await draftStir(parts.storage, entity, after.log.at(-1)?.timestamp ?? "");
	const { operations, announce, mark, below } = isCompleted(after.status) ? await parts.endings.draft(after) : nothingFollows;
	const ending = isCompleted(after.status) && entity.fence !== null ? parts.endings.takeBack(entity) : [];
	const changed = withValues(after, mark);
	const caused = [...stir.operations, ...ending, ...operations];
	if (caused.length + below.length === 0) return applyChange(parts, entity.id, patch, expected);
	try {
		await parts.storage.write([...below, { update: "execution", id: entity.id, patch: { ...patch, ...mark }, expected }, ...caused]);
	} catch (error) {
		if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		tellOnceMore(parts.eventBus);
		return undefined;
	}
	for (const one of [changed, ...stir.resumed]) tell(parts.eventBus, one);
	if (stir.operations.length > stir.resumed.length) tellOnceMore(parts.eventBus);
	announce();
	return changed;
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
	if (changed === undefined) tellOnceMore(eventBus);
	else tell(eventBus, changed);
	return changed;
}

/** Tell everybody of a change that has been stored. */
export function tell(eventBus: EventBus, changed: ExecutionEntity): void {
	publishUpdated(eventBus, changed);
	if (changed.lease_expires_at === longAgo) publishReady(eventBus);
	else if (["canceling", "pausing"].includes(changed.status) || isCompleted(changed.status)) publishInterrupt(eventBus, changed);
}

/**
 * Executions may wait for somebody who goes on with them. Who left them has told so, but a claim passes over what somebody else writes just then
 * (`Storage.claim`), also where nothing comes of that write: so whoever has written an execution that may be one of them tells it afterwards.
 */
function tellOnceMore(eventBus: EventBus): void {
	publishReady(eventBus);
}
