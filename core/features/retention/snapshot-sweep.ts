import type { ActionSnapshotEntity, EntityKind, ExecutionEntity } from "../../contract/index.ts";
import { fromTimestamp, toTimestamp } from "../../kernel/basics/clock.ts";
import { toSnapshot } from "../../kernel/executions/action-catalog.ts";
import { forEachExpiredPage } from "../../kernel/expiry/expired-records.ts";
import type { RemovalPass } from "../../kernel/expiry/removal.ts";

const day = 86_400_000_000;

/** Snapshots of one kind, with the functions that find those to which nothing refers. */
export interface SweptSnapshots {
	readonly kind: EntityKind & ("snapshot" | "rule_snapshot");
	/** Returns ids of snapshots that differ from the current action or rule, by the name with which executions are searched. */
	readCandidates(removal: RemovalPass): Promise<ReadonlyMap<string, readonly string[]>>;
	/** Returns those snapshots of `ids`, all of one name, to which no execution refers. */
	toUnused(removal: RemovalPass, name: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Snapshots of actions with their runner types. */
export const actionSnapshots: SweptSnapshots = {
	kind: "snapshot",
	readCandidates,
	toUnused: (removal, action_ref, ids) => findUnused(removal, { where: { action_ref }, field: "snapshot_id" }, ids),
};

/**
 * Removes snapshots to which no execution refers.
 * A snapshot has no timestamp, and a node may be about to use a snapshot of an action that was just changed.
 * So a snapshot is removed only if two consecutive checks, a day apart, found no reference to it.
 */
export function createSnapshotSweep({ kind, readCandidates, toUnused }: SweptSnapshots): (removal: RemovalPass) => Promise<void> {
	let lastLook = Number.NEGATIVE_INFINITY;
	let unusedBefore: ReadonlySet<string> = new Set();

	return async (removal) => {
		const now = fromTimestamp(removal.now);
		if (now - lastLook < day) return;
		const candidates = await readCandidates(removal);
		const unused = new Set<string>();
		for (const [name, ids] of candidates) for (const id of await toUnused(removal, name, ids)) unused.add(id);
		if (removal.pace.signal.aborted) return;
		await removal.remove(
			kind,
			[...unused].filter((id) => unusedBefore.has(id)),
		);
		lastLook = now;
		unusedBefore = unused;
	};
}

/** Returns ids of snapshots that differ from the current state of their action, by the ref of the action. */
async function readCandidates({ storage, pace }: RemovalPass): Promise<ReadonlyMap<string, string[]>> {
	const runnerTypes = new Map((await storage.find("runner_type", {})).map((type) => [type.name, type]));
	const candidates = new Map<string, string[]>();
	for (let after = ""; !pace.signal.aborted; ) {
		const page = await pace.run((limit) => storage.find("snapshot", { where: { id: { gt: after } }, limit, fields: ["action"] }));
		const refs = [...new Set(page.map(({ action }) => action.ref))];
		const actions = await pace.run(() => storage.find("action", { where: { ref: { in: refs } } }));
		const current = new Set(
			actions.flatMap((action) => {
				const runnerType = runnerTypes.get(action.runner_type);
				return runnerType === undefined ? [] : [toSnapshot(action, runnerType).id];
			}),
		);
		for (const { id, action } of page.filter((snapshot: ActionSnapshotEntity) => !current.has(snapshot.id))) {
			candidates.set(action.ref, [...(candidates.get(action.ref) ?? []), id]);
		}
		const last = page.at(-1);
		if (last === undefined) break;
		after = last.id;
	}
	return candidates;
}

/** Returns those snapshots of `ids` to which no execution that matches `where` refers. */
export async function findUnused(
	removal: RemovalPass,
	{ where, field }: { readonly where: Partial<ExecutionEntity>; readonly field: "snapshot_id" | "rule_snapshot_id" },
	ids: readonly string[],
): Promise<ReadonlySet<string>> {
	const unused = new Set(ids);
	// An index on the snapshot would add a write to every execution. Without it, the executions of one name can still be read quickly.
	const aged = {
		kind: "execution",
		timeField: "start_timestamp",
		before: toTimestamp(fromTimestamp(removal.now) + day),
		where,
		fields: [field],
	} as const;
	await forEachExpiredPage(removal, aged, async (page) => {
		for (const execution of page) unused.delete(execution[field] ?? "");
		return unused.size === 0 ? "enough" : undefined;
	});
	return unused;
}
