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
import { Attached } from "../../lib/private-slot.ts";

/** Condition for a filter that may name several values. */
export function toOneOf<V>(value: V | readonly V[]): V | { readonly in: readonly V[] } {
	return isList(value) ? { in: value } : value;
}

function isList<V>(value: V | readonly V[]): value is readonly V[] {
	return Array.isArray(value);
}

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

type Counted = Pick<Storage, "count">;

/** Milliseconds for which it is remembered that more match than are counted. */
const rememberedFor = 5_000;
/** Filters that are remembered; callers choose them freely. */
const mostFilters = 200;
/** Characters of a filter that is remembered. */
const longestFilter = 1_000;

const ofStorages = new Attached<Counted, PassedLimits>();

/**
 * Filters that more records match than are counted. To count as far as that takes longer than to read a page, and says the same for each page and order of
 * the list, and for everybody who looks at it. What is remembered is only that there are more, never a number that is exact.
 */
class PassedLimits {
	/** When each was counted, the earliest first. */
	readonly #countedAt = new Map<string, number>();

	has(filter: string): boolean {
		const countedAt = this.#countedAt.get(filter);
		return countedAt !== undefined && performance.now() - countedAt < rememberedFor;
	}

	add(filter: string): void {
		if (filter.length > longestFilter) return;
		this.#countedAt.delete(filter);
		this.#countedAt.set(filter, performance.now());
		const [earliest] = this.#countedAt.keys();
		if (earliest !== undefined && this.#countedAt.size > mostFilters) this.#countedAt.delete(earliest);
	}
}

/** Records that match; of more than `limit` some number above that, and that there are more may have been so a few seconds ago. */
async function countTo<K extends EntityKind>(storage: Counted, kind: K, where: Where<EntityMap[K]>, limit: number): Promise<number> {
	const limits = limitsOf(storage);
	const filter = stringifyJson([kind, limit, where]);
	if (limits.has(filter)) return limit + 1;
	const total = await storage.count(kind, where, limit + 1);
	if (total > limit) limits.add(filter);
	return total;
}

function limitsOf(storage: Counted): PassedLimits {
	const known = ofStorages.get(storage);
	if (known !== undefined) return known;
	const limits = new PassedLimits();
	ofStorages.set(storage, limits);
	return limits;
}

/**
 * The order that is asked for, and what is equal in it by time: so the indexes go on by which long lists are sorted, and many equals need not be sorted to find
 * the first of them. Times and ids are equal in few.
 */
export function inTimeOrder<E>(asked: readonly Order<E>[], time: Order<E>[0]): readonly Order<E>[] {
	const [, direction = "asc"] = asked.at(-1) ?? [];
	return asked.some(([field]) => field === time || field === "id") ? asked : [...asked, [time, direction]];
}

/** How far a walk through a list has come. */
export interface Place {
	/** Where the list goes on by the field that it is sorted by, which it is found by however late it is; undefined: it is found by `offset` alone. */
	readonly value?: string | number;
	/** How many are passed over from there on. */
	readonly offset: number;
	/** Ids of those that are given once more from there on. */
	readonly seen: ReadonlySet<string>;
	/** Records that match, as counted at the beginning. */
	readonly total: number;
}

/** Before the first record. */
export const beginning: Place = { offset: 0, seen: new Set(), total: 0 };

/** Fields by which long lists are sorted: none of them is ever null, and each has an index. */
const timelines: ReadonlySet<string> = new Set(["id", "start_timestamp", "occurrence_time", "enforced_at", "received_at", "number"]);

type Ordered<K extends EntityKind> = Pick<Query<EntityMap[K]>, "where" | "orderBy" | "limit" | "offset">;

/** The query for what comes after a place. */
function fromPlace<K extends EntityKind, Q extends Ordered<K>>(query: Q, { value, offset }: Place): Q {
	if (value === undefined) return { ...query, offset };
	const [field, direction] = leading(query);
	const { gt, gte, lt, lte } = rangeOf(query.where, field) ?? {};
	// The other end of a range that was asked for still holds; this end lies within it.
	const range = direction === "desc" ? { gt, gte, lte: value } : { gte: value, lt, lte };
	const condition = Object.fromEntries(Object.entries(range).filter(([, bound]) => bound !== undefined));
	return { ...query, where: { ...query.where, [field]: condition }, offset };
}

/** Where the list goes on after these records, which were found at a place. */
function placeAfter<K extends EntityKind>(
	query: Ordered<K>,
	{ place, records }: { readonly place: Place; readonly records: readonly EntityMap[K][] },
): Place {
	const { total } = place;
	const [field] = leading(query);
	const value = memberOf(records.at(-1), field);
	const isFound = timelines.has(field) && rangeOf(query.where, field) !== undefined && value !== undefined;
	if (!isFound) return { offset: place.offset + records.length, seen: beginning.seen, total };
	const ids = (of: readonly EntityMap[K][]) => new Set(of.map(({ id }) => id));
	// All of one moment: they are counted, as they cannot be told apart.
	if (value === place.value) return { value, offset: place.offset + records.length, seen: ids(records), total };
	return { value, offset: 0, seen: ids(records.filter((record) => memberOf(record, field) === value)), total };
}

function leading<K extends EntityKind>({ orderBy }: Ordered<K>): readonly [string, "asc" | "desc"] {
	return orderBy?.[0] ?? ["id", "asc"];
}

function memberOf(record: object | undefined, field: string): string | number | undefined {
	const value: unknown = (record as Record<string, unknown> | undefined)?.[field];
	return typeof value === "string" || typeof value === "number" ? value : undefined;
}

type Range = Extract<Condition<string | number>, { readonly gt?: unknown }>;

/** What is asked of the field already, where that is a range or nothing. */
function rangeOf<E>(where: Where<E> | undefined, field: string): Range | undefined {
	const condition: unknown = (where as Readonly<Record<string, unknown>> | undefined)?.[field];
	if (condition === undefined) return {};
	const isRange = typeof condition === "object" && condition !== null && Object.keys(condition).every((key) => bounds.has(key));
	return isRange ? (condition as Range) : undefined;
}

const bounds: ReadonlySet<string> = new Set(["gt", "gte", "lt", "lte"]);
