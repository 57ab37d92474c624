import type { EntityKind, EntityMap, Storage, Where } from "../../contract/index.ts";
import { type Aged, eachAgedPage } from "./expired-records.ts";
import type { Pace } from "./pacing.ts";

/** How many records were removed, by kind. */
export type RemovedRecords = { readonly [K in EntityKind]?: number };

/** One time of removing, whoever has asked for it. */
export interface Removal {
	readonly storage: Storage;
	readonly pace: Pace;
	readonly now: string;
	/** Remove the records with these ids that satisfy `where`; how many they were. */
	remove<K extends EntityKind>(kind: K, ids: readonly string[], where?: Where<EntityMap[K]>): Promise<number>;
	/** What was removed so far; for a trial, what would have been. */
	removed(): RemovedRecords;
}

/** What to look through; the answer of each removal is where to go on `from`, or undefined at the end. */
export interface Range {
	/** What is not older stays. */
	readonly before: string;
	readonly from?: string | undefined;
}

export interface RemovalParts {
	readonly storage: Storage;
	readonly pace: Pace;
	readonly now: string;
	/** Remove nothing and count what would be. */
	readonly isTrial?: boolean;
}

export function createRemoval({ storage, pace, now, isTrial = false }: RemovalParts): Removal {
	const removed: { [K in EntityKind]?: number } = {};
	return {
		storage,
		pace,
		now,
		async remove(kind, ids, where) {
			if (ids.length === 0) return 0;
			const conditions = { ...where, id: { in: ids } } as Where<EntityMap[typeof kind]>;
			const count = isTrial ? ids.length : await pace.run(() => storage.remove(kind, { where: conditions }));
			removed[kind] = (removed[kind] ?? 0) + count;
			return count;
		},
		removed: () => removed,
	};
}

/** Remove aged records: all of them, or the ones that `choose` picks from each page. */
export function removeAged<K extends EntityKind>(
	removal: Removal,
	aged: Aged<K>,
	choose: (page: readonly EntityMap[K][]) => Promise<readonly EntityMap[K][]> = async (page) => page,
): Promise<string | undefined> {
	return eachAgedPage(removal, aged, async (page) => {
		const chosen = await choose(page);
		const ids = chosen.map(({ id }) => id);
		// What has changed since it was read stays.
		await removal.remove(aged.kind, ids, { ...aged.where, [aged.time]: { lt: aged.before } } as Where<EntityMap[K]>);
		return undefined;
	});
}
