import type { EntityKind, EntityMap, Query, Storage } from "../../contract/index.ts";

/** A part of a list. */
export interface Page<T> {
	readonly items: readonly T[];
	/** Records that match, paging ignored; of more than `Paging.exactTotal` some number above that. */
	readonly total: number;
}

/** Which part of a list is asked for. */
export interface Paging {
	/** Undefined: everything. */
	readonly limit?: number;
	readonly offset?: number;
	/** Up to this many the total is exact: counting millions takes long, and tells people no more than that there are many. Default: always. */
	readonly exactTotal?: number;
}

/** Read a part of a list and how much there is of it. A page that is not full is the last one, and tells that without a count. */
export async function readPage<K extends EntityKind>(
	storage: Pick<Storage, "find" | "count">,
	kind: K,
	{ exactTotal, ...query }: Query<EntityMap[K]> & Pick<Paging, "exactTotal">,
): Promise<Page<EntityMap[K]>> {
	const { where = {}, limit, offset = 0 } = query;
	const items = await storage.find(kind, query);
	const isFull = limit !== undefined && items.length >= limit;
	// Where there is nothing, the page may begin behind the last record.
	if (!isFull && (items.length > 0 || offset === 0)) return { items, total: offset + items.length };
	return { items, total: await storage.count(kind, where, exactTotal === undefined ? undefined : exactTotal + 1) };
}
