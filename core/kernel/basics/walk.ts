import type { Condition, EntityKind, EntityMap, Query, Where } from "../../contract/index.ts";

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
export function fromPlace<K extends EntityKind, Q extends Ordered<K>>(query: Q, { value, offset }: Place): Q {
	if (value === undefined) return { ...query, offset };
	const [field, direction] = leading(query);
	const { gt, gte, lt, lte } = rangeOf(query.where, field) ?? {};
	// The other end of a range that was asked for still holds; this end lies within it.
	const range = direction === "desc" ? { gt, gte, lte: value } : { gte: value, lt, lte };
	const condition = Object.fromEntries(Object.entries(range).filter(([, bound]) => bound !== undefined));
	return { ...query, where: { ...query.where, [field]: condition }, offset };
}

/** Where the list goes on after these records, which were found at a place. */
export function placeAfter<K extends EntityKind>(
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
