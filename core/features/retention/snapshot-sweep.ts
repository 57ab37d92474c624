import type { SnapshotEntity } from "../../contract/index.ts";
import { eachAgedPage } from "../../kernel/aging/aged-records.ts";
import type { Removal } from "../../kernel/aging/removal.ts";
import { fromTimestamp, toTimestamp } from "../../kernel/basics/clock.ts";
import { toSnapshot } from "../../kernel/executions/catalog.ts";

const day = 86_400_000_000;

/**
 * Removes snapshots that no execution refers to any more. They have no time of their own, and a node may be about to use one of an
 * action that has just been changed: so one goes when nothing has referred to it at two looks in a row, a day apart.
 */
export function createSnapshotSweep(): (removal: Removal) => Promise<void> {
	let lastLook = Number.NEGATIVE_INFINITY;
	let unusedBefore: ReadonlySet<string> = new Set();

	return async (removal) => {
		const now = fromTimestamp(removal.now);
		if (now - lastLook < day) return;
		const candidates = await readCandidates(removal);
		const unused = new Set<string>();
		for (const [actionRef, ids] of candidates) for (const id of await toUnused(removal, actionRef, ids)) unused.add(id);
		if (removal.pace.signal.aborted) return;
		await removal.remove(
			"snapshot",
			[...unused].filter((id) => unusedBefore.has(id)),
		);
		lastLook = now;
		unusedBefore = unused;
	};
}

/** Ids of snapshots that are not how an action is now, by the ref of the action. */
async function readCandidates({ storage, pace }: Removal): Promise<ReadonlyMap<string, string[]>> {
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
		for (const { id, action } of page.filter((snapshot: SnapshotEntity) => !current.has(snapshot.id))) {
			candidates.set(action.ref, [...(candidates.get(action.ref) ?? []), id]);
		}
		const last = page.at(-1);
		if (last === undefined) break;
		after = last.id;
	}
	return candidates;
}

/** Which of these snapshots of one action no execution refers to. */
async function toUnused(removal: Removal, actionRef: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
	const unused = new Set(ids);
	// There is no index on the snapshot, as that would cost every execution a write; but those of one action come quickly.
	const aged = {
		kind: "execution",
		time: "start_timestamp",
		before: toTimestamp(fromTimestamp(removal.now) + day),
		where: { action_ref: actionRef },
		fields: ["snapshot_id"],
	} as const;
	await eachAgedPage(removal, aged, async (page) => {
		for (const { snapshot_id } of page) unused.delete(snapshot_id);
		return unused.size === 0 ? "enough" : undefined;
	});
	return unused;
}
