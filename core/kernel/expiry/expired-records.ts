import type { EntityKind, EntityMap, Storage, Where } from "../../contract/index.ts";
import type { BackgroundThrottle } from "./background-throttle.ts";

/** Selection of the records of one kind whose time field is before a limit. */
export interface ExpiredRecordsQuery<K extends EntityKind> {
	readonly kind: K;
	/** Field that contains the time. An index must begin with this field. */
	readonly timeField: keyof EntityMap[K] & string;
	/** Timestamp before which records have expired. */
	readonly before: string;
	/** Cursor that an earlier call of `forEachExpiredPage` has returned. Default: from the oldest record. */
	readonly from?: string | undefined;
	readonly where?: Where<EntityMap[K]>;
	/** Fields that `handle` needs in addition to id and time. */
	readonly fields?: readonly (keyof EntityMap[K] & string)[];
}

/** Form of a cursor: time and id of the last record that was handled. */
const cursorPattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z)\/([0-9a-f]{24})$/;

/** Returns true if a string has the form of a cursor that `forEachExpiredPage` returns. */
export function isExpiryCursor(text: string): boolean {
	return cursorPattern.test(text);
}

/**
 * Passes expired records to `handle`, the oldest first, in small pages. Ends when no record is left, when `handle` returns `enough`, or
 * when the pace is over or aborted. Skips and repeats no record, even if records are removed meanwhile. Only the page during which the pace
 * was aborted is handled again. Returns the cursor at which the next call must begin; undefined if no record is left.
 */
export async function forEachExpiredPage<K extends EntityKind>(
	{ storage, pace }: { readonly storage: Storage; readonly pace: BackgroundThrottle },
	aged: ExpiredRecordsQuery<K>,
	handle: (page: readonly EntityMap[K][]) => Promise<"enough" | undefined>,
): Promise<string | undefined> {
	const { kind, timeField, before, where, fields = [] } = aged;

	async function find(conditions: object): Promise<EntityMap[K][]> {
		// TypeScript cannot type a condition on a field that the caller chooses.
		const combined = { ...where, ...conditions } as Where<EntityMap[K]>;
		return pace.run((limit) =>
			storage.find(kind, { where: combined, orderBy: [[timeField, "asc"]], limit, fields: ["id", timeField, ...fields] }),
		);
	}

	async function readPage(after: string | undefined): Promise<EntityMap[K][]> {
		if (after === undefined) return find({ [timeField]: { lt: before } });
		const [, lastTime, lastId] = cursorPattern.exec(after) ?? [];
		const sameTime = await find({ [timeField]: lastTime, id: { gt: lastId } });
		return sameTime.length > 0 ? sameTime : find({ [timeField]: { gt: lastTime, lt: before } });
	}

	for (let after = aged.from; ; ) {
		const page = await readPage(after);
		const last = page.at(-1);
		if (last === undefined) return undefined;
		const outcome = await handle(page);
		// `handle` may not have finished this page, so the next call must begin with this page again.
		if (pace.signal.aborted) return after;
		after = `${String(last[timeField])}/${last.id}`;
		if (outcome === "enough" || pace.isOver()) return after;
	}
}
