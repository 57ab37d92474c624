import {
	type Condition,
	type EntityKind,
	type EntityMap,
	type Order,
	type Query,
	type Storage,
	stringifyJson,
	type Where,
} from "../../contract/index.ts";
import { EventLoopYield } from "../../lib/event-loop.ts";
import { PrivateSlot } from "../../lib/private-slot.ts";

/** Returns the condition for a filter: equality for a single value, `in` for a list of values. */
export function toInCondition<V>(value: V | readonly V[]): V | { readonly in: readonly V[] } {
	return isList(value) ? { in: value } : value;
}

function isList<V>(value: V | readonly V[]): value is readonly V[] {
	return Array.isArray(value);
}

/** A part of a list. */
export interface Page<T> {
	readonly items: readonly T[];
	/** Number of records that match, on all pages. If it exceeds `Paging.exactTotal`, it may be any number above that. */
	readonly total: number;
	/** Cursor for the next page, if the page was read with a cursor; absent on the last page. */
	readonly next?: ListCursor;
}

/** Selection of a part of a list. */
export interface Paging {
	/** Maximum number of items. Default: all. */
	readonly limit?: number;
	readonly offset?: number;
	/**
	 * Largest total that must be exact, since counting millions of records takes long and is of little use. The result that a total exceeds
	 * this limit is cached for five seconds. Default: every total is exact.
	 */
	readonly exactTotal?: number;
	/**
	 * Cursor to read after: `listStart` for the first page, then `next` of the previous page. Even if records are added or removed between two
	 * pages, no other record is missed.
	 */
	readonly after?: ListCursor;
}

type PageQuery<K extends EntityKind> = Query<EntityMap[K]> & Pick<Paging, "exactTotal" | "after">;

/**
 * Returns a part of a list and the total. A page that is not full needs no count, because it is the last one. A page that ends beyond
 * `exactTotal` needs no count either, because it proves that the total is larger.
 */
export function readPage<K extends EntityKind>(
	storage: Pick<Storage, "find" | "count">,
	kind: K,
	query: PageQuery<K>,
): Promise<Page<EntityMap[K]>> {
	return readMappedPage(storage, kind, query, (items) => items);
}

/**
 * Returns a part of a list, converted by `toItems`, and the total. The total is counted while `toItems` runs, because both may query the
 * storage.
 */
export async function readMappedPage<K extends EntityKind, T>(
	storage: Pick<Storage, "find" | "count">,
	kind: K,
	{ exactTotal, after, ...query }: PageQuery<K>,
	toItems: (records: readonly EntityMap[K][]) => readonly T[] | Promise<readonly T[]>,
): Promise<Page<T>> {
	if (after !== undefined) return readAfter(storage, kind, { ...query, ...(exactTotal !== undefined && { exactTotal }), after }, toItems);
	const { where = {}, limit, offset = 0 } = query;
	const records = await storage.find(kind, query);
	const isFull = limit !== undefined && records.length >= limit;
	const pageEnd = offset + records.length;
	// An empty page proves nothing about the total: the offset may be beyond the last record.
	const isLast = !isFull && (records.length > 0 || offset === 0);
	if (isLast || (records.length > 0 && exactTotal !== undefined && pageEnd > exactTotal)) {
		return { items: await toItems(records), total: pageEnd };
	}
	// For an empty page, count without the cache: records may have been removed since the cached result.
	const count =
		exactTotal !== undefined && isFull
			? countUpTo(storage, kind, where, exactTotal)
			: storage.count(kind, where, exactTotal === undefined ? undefined : exactTotal + 1);
	const [total, items] = await Promise.all([count, toItems(records)]);
	return { items, total };
}

/** Returns the page after a cursor. The total is counted for the first page only. */
async function readAfter<K extends EntityKind, T>(
	storage: Pick<Storage, "find" | "count">,
	kind: K,
	{ after, exactTotal, ...query }: PageQuery<K> & { readonly after: ListCursor },
	toItems: (records: readonly EntityMap[K][]) => readonly T[] | Promise<readonly T[]>,
): Promise<Page<T>> {
	const { limit = Number.POSITIVE_INFINITY, offset = 0 } = query;
	let pageRecords: readonly EntityMap[K][] = [];
	const toNewItems = (records: readonly EntityMap[K][]) => {
		pageRecords = records;
		return toItems(records.filter(({ id }) => !after.deliveredIds.has(id)));
	};
	const isFirst = after === listStart;
	const page = isFirst
		? await readMappedPage(storage, kind, { ...query, ...(exactTotal !== undefined && { exactTotal }) }, toNewItems)
		: { items: await toNewItems(await storage.find(kind, toCursorQuery<K, typeof query>(query, after))), total: after.total };
	if (pageRecords.length < limit) return page;
	const cursor = { ...after, ...(isFirst && { offset }), total: page.total };
	return { ...page, next: toNextCursor(query, { cursor, records: pageRecords }) };
}

type CountingStorage = Pick<Storage, "count">;

/** Milliseconds for which the result that a total exceeds the limit is cached. */
const cacheDurationMs = 5_000;
/** Maximum number of cached filters. Bounds the memory, because clients choose filters freely. */
const maxCachedFilters = 200;
/** Maximum number of characters of a filter that is cached. */
const maxFilterLength = 1_000;

/**
 * Cache of the filters whose totals exceed the limit of exact counting, for each storage: the monotonic milliseconds at which each filter
 * was counted, the earliest first. Counting up to the limit takes longer than reading a page. The cached result applies to every page and
 * order of the list, and to every client. Exact totals are never cached.
 */
const cappedCountsByStorage = new PrivateSlot<CountingStorage, Map<string, number>>();

/** Returns the number of records that match, or a number above `limit` if more match. That result may be up to five seconds old. */
async function countUpTo<K extends EntityKind>(
	storage: CountingStorage,
	kind: K,
	where: Where<EntityMap[K]>,
	limit: number,
): Promise<number> {
	const countedAt = cappedCountsByStorage.get(storage) ?? new Map<string, number>();
	cappedCountsByStorage.set(storage, countedAt);
	const filter = stringifyJson([kind, limit, where]);
	if (performance.now() - (countedAt.get(filter) ?? Number.NEGATIVE_INFINITY) < cacheDurationMs) return limit + 1;
	const total = await storage.count(kind, where, limit + 1);
	if (total <= limit || filter.length > maxFilterLength) return total;
	countedAt.delete(filter);
	countedAt.set(filter, performance.now());
	const [oldestFilter] = countedAt.keys();
	if (oldestFilter !== undefined && countedAt.size > maxCachedFilters) countedAt.delete(oldestFilter);
	return total;
}

/**
 * Returns a requested order, extended so that records which are equal in it are ordered by time. The indexes for long lists have this
 * order; otherwise the database would sort many equal records to find the first ones. An order that contains the time or the id is returned
 * unchanged.
 */
export function withTimeOrder<E>(orderBy: readonly Order<E>[], time: Order<E>[0]): readonly Order<E>[] {
	const [, direction = "asc"] = orderBy.at(-1) ?? [];
	return orderBy.some(([field]) => field === time || field === "id") ? orderBy : [...orderBy, [time, direction]];
}

/** Position in a list after the last record that was read. */
export interface ListCursor {
	/**
	 * Value of the first sort field at which the next page begins. An index finds the value equally fast at every position of the list.
	 * Undefined if the position is given by `offset` alone.
	 */
	readonly value?: string | number;
	/** Number of records to skip from `value`, or from the start of the list. */
	readonly offset: number;
	/** Ids of the records from `value` on that the previous page contained. The next page omits them. */
	readonly deliveredIds: ReadonlySet<string>;
	/** Number of records that match, as counted with the first page. */
	readonly total: number;
}

/** Cursor before the first record. */
export const listStart: ListCursor = { offset: 0, deliveredIds: new Set(), total: 0 };

/** Fields by which long lists are sorted. None of them is ever null, and each has an index. */
const cursorFields: ReadonlySet<string> = new Set(["id", "start_timestamp", "occurrence_time", "enforced_at", "received_at", "number"]);

type Ordered<K extends EntityKind> = Pick<Query<EntityMap[K]>, "where" | "orderBy" | "limit" | "offset">;

/** Returns the query for the records after a cursor. */
function toCursorQuery<K extends EntityKind, Q extends Ordered<K>>(query: Q, { value, offset }: ListCursor): Q {
	if (value === undefined) return { ...query, offset };
	const [field, direction] = leadingOrder(query);
	const { gt, gte, lt, lte } = rangeOf(query.where, field) ?? {};
	// The cursor is within the requested range, so it replaces the bound at which reading starts. The other bound stays.
	const range = direction === "desc" ? { gt, gte, lte: value } : { gte: value, lt, lte };
	const condition = Object.fromEntries(Object.entries(range).filter(([, bound]) => bound !== undefined));
	return { ...query, where: { ...query.where, [field]: condition }, offset };
}

/** Returns the cursor after these records, which were read with the given cursor. */
function toNextCursor<K extends EntityKind>(
	query: Ordered<K>,
	{ cursor, records }: { readonly cursor: ListCursor; readonly records: readonly EntityMap[K][] },
): ListCursor {
	const { total } = cursor;
	const [field] = leadingOrder(query);
	const value = memberOf(records.at(-1), field);
	const canUseValue = cursorFields.has(field) && rangeOf(query.where, field) !== undefined && value !== undefined;
	if (!canUseValue) return { offset: cursor.offset + records.length, deliveredIds: listStart.deliveredIds, total };
	const idsOf = (some: readonly EntityMap[K][]) => new Set(some.map(({ id }) => id));
	// The page ends at the same value as the page before, so only `offset` can advance the cursor.
	if (value === cursor.value) return { value, offset: cursor.offset + records.length, deliveredIds: idsOf(records), total };
	return { value, offset: 0, deliveredIds: idsOf(records.filter((record) => memberOf(record, field) === value)), total };
}

/** Returns the field and direction that a list is sorted by first. */
function leadingOrder<K extends EntityKind>({ orderBy }: Ordered<K>): readonly [string, "asc" | "desc"] {
	return orderBy?.[0] ?? ["id", "asc"];
}

/** Returns a member of a record if it is a string or a number; otherwise undefined. */
function memberOf(record: object | undefined, field: string): string | number | undefined {
	const value: unknown = (record as Record<string, unknown> | undefined)?.[field];
	return typeof value === "string" || typeof value === "number" ? value : undefined;
}

type Range = Extract<Condition<string | number>, { readonly gt?: unknown }>;

/** Returns the condition on a field if it is a range; an empty range if the field has no condition; undefined for any other condition. */
function rangeOf<E>(where: Where<E> | undefined, field: string): Range | undefined {
	const condition: unknown = (where as Readonly<Record<string, unknown>> | undefined)?.[field];
	if (condition === undefined) return {};
	const isRange = typeof condition === "object" && condition !== null && Object.keys(condition).every((key) => rangeOperators.has(key));
	return isRange ? (condition as Range) : undefined;
}

const rangeOperators: ReadonlySet<string> = new Set(["gt", "gte", "lt", "lte"]);

/**
 * Returns the first `limit` records of each owner, such as the children of executions. Most owners have few records, so one query usually
 * suffices. If it is full, a query for each owner follows.
 *
 * @param read returns the first `limit` records of the given owners together, in order
 */
export async function readFirstPerOwner<T>(
	owners: readonly string[],
	limit: number,
	read: (owners: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
	if (owners.length === 0) return [];
	const firstRecords = await read(owners);
	if (firstRecords.length < limit || owners.length === 1) return firstRecords;
	const loopYield = new EventLoopYield();
	const records: T[] = [];
	for (const owner of owners) {
		for (const record of await read([owner])) records.push(record);
		await loopYield.yieldIfDue();
	}
	return records;
}
