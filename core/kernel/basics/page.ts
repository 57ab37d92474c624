import type { EntityKind, EntityMap, Query, Storage } from "../../contract/index.ts";
import { countTo } from "./passed-limits.ts";
import { beginning, fromPlace, type Place, placeAfter } from "./walk.ts";

/** A part of a list. */
export interface Page<T> {
	readonly items: readonly T[];
	/** Records that match, paging ignored; of more than `Paging.exactTotal` some number above that. */
	readonly total: number;
	/** Of a walk: where it goes on; absent at its end. */
	readonly next?: Place;
}

/** Which part of a list is asked for. */
export interface Paging {
	/** Undefined: everything. */
	readonly limit?: number;
	readonly offset?: number;
	/**
	 * Up to this many the total is exact: counting millions takes long, and tells people no more than that there are many. That there are more is
	 * remembered for five seconds. Default: always.
	 */
	readonly exactTotal?: number;
	/** Walk through the list: from `beginning`, then from `next` of the page before. Nothing that is added or removed meanwhile moves others past the reader. */
	readonly after?: Place;
}

type PageQuery<K extends EntityKind> = Query<EntityMap[K]> & Pick<Paging, "exactTotal" | "after">;

/** Read a part of a list and how much there is of it. A page that is not full is the last one, and one behind those that are counted tells that there are more: neither needs a count. */
export function readPage<K extends EntityKind>(
	storage: Pick<Storage, "find" | "count">,
	kind: K,
	query: PageQuery<K>,
): Promise<Page<EntityMap[K]>> {
	return readPageOf(storage, kind, query, (items) => items);
}

/** The same of what is made of the records, which may ask for more of them: that is done while the others are counted. */
export async function readPageOf<K extends EntityKind, T>(
	storage: Pick<Storage, "find" | "count">,
	kind: K,
	{ exactTotal, after, ...query }: PageQuery<K>,
	toItems: (records: readonly EntityMap[K][]) => readonly T[] | Promise<readonly T[]>,
): Promise<Page<T>> {
	if (after !== undefined) return readStep(storage, kind, { ...query, ...(exactTotal !== undefined && { exactTotal }), after }, toItems);
	const { where = {}, limit, offset = 0 } = query;
	const records = await storage.find(kind, query);
	const isFull = limit !== undefined && records.length >= limit;
	const reached = offset + records.length;
	// Where there is nothing, the page may begin behind the last record.
	const isLast = !isFull && (records.length > 0 || offset === 0);
	if (isLast || (records.length > 0 && exactTotal !== undefined && reached > exactTotal)) {
		return { items: await toItems(records), total: reached };
	}
	// A page that lies behind the last record tells that there are fewer than somebody may remember.
	const count =
		exactTotal !== undefined && isFull
			? countTo(storage, kind, where, exactTotal)
			: storage.count(kind, where, exactTotal === undefined ? undefined : exactTotal + 1);
	const [total, items] = await Promise.all([count, toItems(records)]);
	return { items, total };
}

/** A page of a walk. */
async function readStep<K extends EntityKind, T>(
	storage: Pick<Storage, "find" | "count">,
	kind: K,
	{ after, exactTotal, ...query }: PageQuery<K> & { readonly after: Place },
	toItems: (records: readonly EntityMap[K][]) => readonly T[] | Promise<readonly T[]>,
): Promise<Page<T>> {
	const { limit = Number.POSITIVE_INFINITY, offset = 0 } = query;
	let read: readonly EntityMap[K][] = [];
	const keep = (records: readonly EntityMap[K][]) => {
		read = records;
		return toItems(records.filter(({ id }) => !after.seen.has(id)));
	};
	const isFirst = after === beginning;
	const page = isFirst
		? await readPageOf(storage, kind, { ...query, ...(exactTotal !== undefined && { exactTotal }) }, keep)
		: { items: await keep(await storage.find(kind, fromPlace<K, typeof query>(query, after))), total: after.total };
	if (read.length < limit) return page;
	const place = { ...after, ...(isFirst && { offset }), total: page.total };
	return { ...page, next: placeAfter(query, { place, records: read }) };
}
