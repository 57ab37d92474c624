import type { ExecutionEntity } from "../../contract/index.ts";
import { completedStatuses, isCompleted } from "../../kernel/executions/status.ts";
import { forEachExpiredPage } from "../../kernel/expiry/expired-records.ts";
import type { RemovalPass, RemovalRange } from "../../kernel/expiry/removal.ts";

export interface ExecutionRange extends RemovalRange {
	readonly actionRef?: string;
	/** True to include executions that have not ended, unless a node runs them. Their age counts from their start. */
	readonly incomplete?: boolean;
}

const fields = ["parent_id", "status", "end_timestamp", "fence", "lease_expires_at"] as const;

/**
 * Removes executions with their output and journal. An execution is removed only together with all its descendants, and with its parent
 * unless that is no longer stored.
 * All of them must have ended before the limit; `incomplete` also allows executions that have not ended.
 * Within a tree, children are removed first, so that after a crash the remaining executions are still found through their root.
 */
export function removeExecutions(
	removal: RemovalPass,
	{ before, from, actionRef, incomplete = false }: ExecutionRange,
): Promise<string | undefined> {
	const { storage, pace, now } = removal;
	const where = {
		...(!incomplete && { status: { in: completedStatuses } }),
		...(actionRef !== undefined && { action_ref: actionRef }),
	};

	function isOver({ status, start_timestamp, end_timestamp, lease_expires_at }: ExecutionEntity): boolean {
		if (isCompleted(status)) return end_timestamp !== null && end_timestamp < before;
		return incomplete && start_timestamp < before && (lease_expires_at === null || lease_expires_at < now);
	}

	/** Returns the executions whose parent is not stored. */
	async function toRoots(executions: readonly ExecutionEntity[]): Promise<ExecutionEntity[]> {
		const parentIds = [...new Set(executions.flatMap(({ parent_id }) => parent_id ?? []))];
		if (parentIds.length === 0) return [...executions];
		const parents = await pace.run(() => storage.find("execution", { where: { id: { in: parentIds } }, fields: ["id"] }));
		const known = new Set(parents.map(({ id }) => id));
		return executions.filter(({ parent_id }) => parent_id === null || !known.has(parent_id));
	}

	const aged = { kind: "execution", timeField: "start_timestamp", before, from, where, fields } as const;
	return forEachExpiredPage(removal, aged, async (page) => {
		const roots = await toRoots(page.filter(isOver));
		await removeAll(removal, await readFinishedTrees(removal, roots, isOver));
		return undefined;
	});
}

/**
 * Removes executions in the given order, in batches of 100. Output and journal of an ended execution are removed before its record. For
 * other executions the record is removed first, so that no node starts the execution meanwhile.
 */
async function removeAll(removal: RemovalPass, executions: readonly ExecutionEntity[]): Promise<void> {
	const { pace } = removal;
	let ready: string[] = [];
	for (const { id, status, fence } of executions) {
		if (pace.signal.aborted) break;
		// A node may have begun to run an execution that has not ended. The execution then stays.
		if (!isCompleted(status) && (await removal.remove("execution", [id], { status, fence })) === 0) continue;
		if (!(await removePartsOf(removal, id))) break;
		if (isCompleted(status)) ready.push(id);
		if (ready.length < 100) continue;
		await removal.remove("execution", ready);
		ready = [];
	}
	await removal.remove("execution", ready);
}

/** Removes output and journal of an execution. Returns true if all of it was removed. */
async function removePartsOf(removal: RemovalPass, executionId: string): Promise<boolean> {
	return (await removePart(removal, "output_chunk", executionId)) && (await removePart(removal, "journal_entry", executionId));
}

async function removePart(
	{ storage, pace, remove }: RemovalPass,
	kind: "output_chunk" | "journal_entry",
	executionId: string,
): Promise<boolean> {
	let after = 0;
	while (!pace.signal.aborted) {
		let wanted = 0;
		const page = await pace.run((limit) => {
			wanted = limit;
			return storage.find(kind, {
				where: { execution_id: executionId, sequence: { gt: after } },
				orderBy: [["sequence", "asc"]],
				limit,
				fields: ["id", "sequence"],
			});
		});
		await remove(
			kind,
			page.map(({ id }) => id),
		);
		const last = page.at(-1);
		if (last === undefined || page.length < wanted) return true;
		after = last.sequence;
	}
	return false;
}

const treeFields = ["parent_id", "status", "start_timestamp", "end_timestamp", "fence", "lease_expires_at"] as const;

/**
 * Returns the executions of those trees below `roots` in which every execution satisfies `isOver`. Descendants precede their ancestors.
 * Returns an empty list if the pace was aborted before all descendants were read.
 */
async function readFinishedTrees(
	removal: RemovalPass,
	roots: readonly ExecutionEntity[],
	isOver: (execution: ExecutionEntity) => boolean,
): Promise<ExecutionEntity[]> {
	const rootOf = new Map(roots.map(({ id }) => [id, id]));
	const kept = new Set<string>();
	const generations: ExecutionEntity[][] = [];
	for (let generation: readonly ExecutionEntity[] = roots; generation.length > 0; ) {
		generations.unshift([...generation]);
		const children = await readChildren(removal, generation);
		if (children === undefined) return [];
		for (const child of children) {
			const root = rootOf.get(child.parent_id ?? "") ?? child.id;
			rootOf.set(child.id, root);
			if (!isOver(child)) kept.add(root);
		}
		generation = children.filter(({ id }) => !kept.has(rootOf.get(id) ?? ""));
	}
	return generations.flat().filter(({ id }) => !kept.has(rootOf.get(id) ?? ""));
}

/** Returns undefined if the pace was aborted before all children were read. */
async function readChildren({ storage, pace }: RemovalPass, parents: readonly ExecutionEntity[]): Promise<ExecutionEntity[] | undefined> {
	const children: ExecutionEntity[] = [];
	const parentIds = parents.map(({ id }) => id);
	for (let after = ""; !pace.signal.aborted; ) {
		let wanted = 0;
		const page = await pace.run((limit) => {
			wanted = limit;
			return storage.find("execution", { where: { parent_id: { in: parentIds }, id: { gt: after } }, limit, fields: treeFields });
		});
		children.push(...page);
		const last = page.at(-1);
		if (last === undefined || page.length < wanted) return children;
		after = last.id;
	}
	return undefined;
}
