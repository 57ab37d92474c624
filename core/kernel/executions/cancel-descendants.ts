import type { Clock, EventBus, ExecutionEntity, Runner, Storage, WriteOperation } from "../../contract/index.ts";
import { askingRunner } from "../../language/inquiry-schema.ts";
import { toTimestamp } from "../basics/clock.ts";
import { toCancelPatch } from "./cancel-patch.ts";
import { publishInterrupt, publishReady, publishUpdated } from "./execution-events.ts";
import { withValues } from "./new-execution.ts";
import { applied, isCompleted, longAgo } from "./status.ts";

/** The end of one execution, with its completion effects. */
export interface DraftedEnd {
	/** Fields that the execution itself is stored with. */
	readonly mark: Partial<Pick<ExecutionEntity, "followed_by">>;
	readonly operations: readonly WriteOperation[];
	announce(): void;
}

export interface EndBelowParts {
	readonly storage: Pick<Storage, "find">;
	readonly eventBus: EventBus;
	readonly clock: Clock;
	readonly runners: ReadonlyMap<string, Runner>;
	/** Drafts the completion effects of an execution below. */
	readonly draft: (ended: ExecutionEntity) => Promise<DraftedEnd>;
	readonly takeBack: (ended: ExecutionEntity) => readonly WriteOperation[];
}

/** Operations that end the open executions below an execution, and their announcements once they are stored. */
export interface EndBelow {
	readonly operations: readonly WriteOperation[];
	announce(): void;
}

const nothing: EndBelow = { operations: [], announce: () => undefined };

/**
 * Cancels the questions and nested executions that an ended workflow has left open, in the write of its end: a question never outlives the execution
 * that asked it, whatever ended that. The operations expect the states that were read here, so a concurrent answer makes the whole write fail
 * with `SVC_CONFLICT`, and the caller reads again. Other children run to their own ends.
 */
export async function draftEndBelow(parts: EndBelowParts, ended: ExecutionEntity): Promise<EndBelow> {
	const { runners, storage, clock } = parts;
	// An execution that has not begun has started nothing.
	if (ended.attempt === 0 || runners.get(ended.runner_name)?.capabilities.workflow !== true) return nothing;
	const workflowRunners = [...runners].filter(([, { capabilities }]) => capabilities.workflow === true).map(([name]) => name);
	const where = {
		parent_id: ended.id,
		end_timestamp: null,
		status: { not: "canceling" },
		runner_name: { in: [askingRunner, ...workflowRunners] },
	} as const;
	const open = await storage.find("execution", { where, orderBy: [["id", "asc"]] });
	const timestamp = toTimestamp(clock.now());
	const ends = await Promise.all(open.map((child) => draftEnd(parts, child, { ended, timestamp })));
	return {
		operations: ends.flatMap(({ operations }) => operations),
		announce() {
			for (const { announce } of ends) announce();
		},
	};
}

async function draftEnd(
	parts: EndBelowParts,
	child: ExecutionEntity,
	{ ended, timestamp }: { readonly ended: ExecutionEntity; readonly timestamp: string },
): Promise<EndBelow> {
	const canceledBy = ended.context["cancelled_by"];
	const username = typeof canceledBy === "string" ? canceledBy : ended.user;
	const patch = toCancelPatch(child, { username }, timestamp);
	const after = applied(child, patch);
	const isOver = isCompleted(after.status);
	const { mark, operations, announce } = isOver ? await parts.draft(after) : { mark: {}, operations: [], announce: () => undefined };
	const changed = withValues(after, mark);
	const update = { update: "execution", id: child.id, patch: { ...patch, ...mark }, expected: { status: child.status } } as const;
	return {
		operations: [update, ...(isOver && child.fence !== null ? parts.takeBack(child) : []), ...operations],
		announce() {
			publishUpdated(parts.eventBus, changed);
			if (changed.lease_expires_at === longAgo) publishReady(parts.eventBus);
			else publishInterrupt(parts.eventBus, changed);
			announce();
		},
	};
}
