import { randomUUID } from "node:crypto";
import type { ExecutionEntity, Storage, WriteOperation } from "../../contract/index.ts";
import { applied, type ExecutionPatch, isCompleted, isWaiting, toStatusPatch } from "./status.ts";

/** What goes on because a child does: writes that belong to that of the child, and the executions as they are then. */
export interface Stir {
	readonly operations: readonly WriteOperation[];
	readonly resumed: readonly ExecutionEntity[];
}

const nothing: Stir = { operations: [], resumed: [] };

/**
 * For a child that leaves the states in which nobody works at it (a question that is answered, a pause that ends): a parent that is
 * paused goes on, as does its parent then.
 *
 * No wake-up is lost. The write of the child also writes the parent. Either the parent is paused by then and goes on with it. Or it is
 * not: then `stirred` changes, and is part of what the write of a pause expects (`RunEnds.pause`), which looks at all children after it has
 * read it. What was stored before that look is seen by it; what is stored after it makes the write fail, and the look is taken again. A
 * child that somebody works at has left those states before, and a runner that knows it does not pause.
 *
 * Rows are written from the child upwards, by everybody, so that no two writes wait for one another.
 */
export async function draftStir(storage: Storage, child: ExecutionEntity, timestamp: string): Promise<Stir> {
	if (!isWaiting(child.status) || child.parent_id === null) return nothing;
	const parent = await storage.get("execution", child.parent_id);
	if (parent === undefined || isCompleted(parent.status)) return nothing;
	const stirred = randomUUID();
	if (parent.status !== "paused") {
		const expected = { status: { not: "paused" } } as const;
		return { operations: [{ update: "execution", id: parent.id, patch: { stirred }, expected }], resumed: [] };
	}
	// Nobody has asked for it: only a person, or the parent's own parent, is named.
	const { resumed_by: _by, ...context } = parent.context;
	const patch: ExecutionPatch = { ...toStatusPatch(parent, "resuming", timestamp), stirred, context };
	const above = await draftStir(storage, parent, timestamp);
	const expected = { status: "paused", fence: parent.fence } as const;
	return {
		operations: [{ update: "execution", id: parent.id, patch, expected }, ...above.operations],
		resumed: [applied(parent, patch), ...above.resumed],
	};
}
