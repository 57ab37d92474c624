import { randomUUID } from "node:crypto";
import type { ExecutionEntity, Storage, WriteOperation } from "../../contract/index.ts";
import { applyPatch, type ExecutionPatch, isCompleted, isWaiting, toStatusPatch } from "./status.ts";

/** Effects of a status change of a child on its paused ancestors. */
export interface ParentWakeup {
	/** Operations to store in the same write as the change of the child, all or nothing. */
	readonly operations: readonly WriteOperation[];
	/** The resumed ancestors, as these operations store them. */
	readonly resumed: readonly ExecutionEntity[];
}

const noWakeup: ParentWakeup = { operations: [], resumed: [] };

/**
 * Drafts the writes that wake the parents of a child that leaves a waiting state, such as an answered question or a resumed pause. A paused
 * parent is resumed, and so is its own paused parent. `child` is the child as it is stored before the change.
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
export async function draftParentWakeup(storage: Storage, child: ExecutionEntity, timestamp: string): Promise<ParentWakeup> {
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
