import type { EntityKind, EntityMap, Storage, Where } from "../../contract/index.ts";
import type { BackgroundThrottle } from "./background-throttle.ts";
import { type ExpiredRecordsQuery, forEachExpiredPage } from "./expired-records.ts";

/** Number of removed records, by kind. */
export type RemovedRecords = { readonly [K in EntityKind]?: number };

/** One pass that removes expired records; or a dry run, which only counts them. */
export interface RemovalPass {
	readonly storage: Storage;
	readonly pace: BackgroundThrottle;
	/** Timestamp of the start of the pass. */
	readonly now: string;
	/**
	 * Removes the records with these ids that satisfy `where`. Returns their number. A dry run removes nothing and returns the number of ids.
	 */
	remove<K extends EntityKind>(kind: K, ids: readonly string[], where?: Where<EntityMap[K]>): Promise<number>;
	/** Returns the number of records removed so far, by kind; for a dry run, the number that would have been removed. */
	removedRecords(): RemovedRecords;
}

/** Time range that a removal covers. Each removal returns the cursor for `from` of the next removal; undefined if no record is left. */
export interface RemovalRange {
	/** Timestamp before which records are removed. */
	readonly before: string;
	/** Cursor at which the removal begins. Default: at the oldest record. */
	readonly from?: string | undefined;
}

export interface RemovalOptions extends Pick<RemovalPass, "storage" | "pace" | "now"> {
	/** True for a dry run, which only counts the records. Default: false. */
	readonly isDryRun?: boolean;
}

export function startRemovalPass({ storage, pace, now, isDryRun = false }: RemovalOptions): RemovalPass {
	const removedByKind: { [K in EntityKind]?: number } = {};
	return {
		storage,
		pace,
		now,
		async remove(kind, ids, where) {
			if (ids.length === 0) return 0;
			const conditions = { ...where, id: { in: ids } } as Where<EntityMap[typeof kind]>;
			const count = isDryRun ? ids.length : await pace.run(() => storage.remove(kind, { where: conditions }));
			removedByKind[kind] = (removedByKind[kind] ?? 0) + count;
			return count;
		},
		removedRecords: () => removedByKind,
	};
}

/**
 * Removes all expired records, or only those that `choose` returns for each page. Returns the cursor at which the next removal must begin;
 * undefined if no record is left.
 */
export function removeExpired<K extends EntityKind>(
	removal: RemovalPass,
	aged: ExpiredRecordsQuery<K>,
	choose: (page: readonly EntityMap[K][]) => Promise<readonly EntityMap[K][]> = async (page) => page,
): Promise<string | undefined> {
	return forEachExpiredPage(removal, aged, async (page) => {
		const chosenRecords = await choose(page);
		const ids = chosenRecords.map(({ id }) => id);
		// Repeat the conditions, so that a record which was changed after it was read, and no longer matches, is not removed.
		await removal.remove(aged.kind, ids, { ...aged.where, [aged.timeField]: { lt: aged.before } } as Where<EntityMap[K]>);
		return undefined;
	});
}
