import { type EntityKind, entityKinds } from "../../core/contract/index.ts";

type Asked = { readonly field: string; readonly form: string };
type Combinations = readonly (readonly string[])[];

interface Indexed {
	readonly unique?: Combinations;
	readonly indexes?: Combinations;
	readonly sparseIndexes?: Readonly<Record<string, Combinations>>;
	readonly oftenNull?: readonly string[];
	readonly timeline?: string;
}

/** The fields of every index of a kind that may have equal entries. */
export function indexesOf(kind: EntityKind): Combinations {
	const { indexes = [] }: Indexed = entityKinds[kind];
	return [...indexes, ...sparseIndexesOf(kind).map(([, fields]) => fields)];
}

/** The fields of every index that has no place for some entities, behind the field which is null in those. */
export function sparseIndexesOf(kind: EntityKind): readonly (readonly [column: string, fields: readonly string[]])[] {
	const { sparseIndexes = {} }: Indexed = entityKinds[kind];
	return Object.entries(sparseIndexes).flatMap(([column, combinations]) => combinations.map((fields) => [column, fields] as const));
}

/** Whether an index begins with the field and has no place for entities in which it is null. */
export function leadsSparseIndex(kind: EntityKind, field: string): boolean {
	return sparseIndexesOf(kind).some(([column, [leading]]) => column === field && leading === field);
}

/** Whether an index begins with the field, and many entities have no value there, in or out of the index. */
export function leadsWithNulls(kind: EntityKind, field: string): boolean {
	const { oftenNull = [] }: Indexed = entityKinds[kind];
	return oftenNull.includes(field) || leadsSparseIndex(kind, field);
}

/**
 * The field that is asked to be null, where one index begins with it, goes on in the order that is asked for, and tells all else that is
 * asked for.
 */
export function toNullLead(kind: EntityKind, where: readonly Asked[], order: string | undefined): string | undefined {
	const { oftenNull = [] }: Indexed = entityKinds[kind];
	const lead = where.find(({ field, form }) => form === "null" && oftenNull.includes(field))?.field;
	const isInOrder = ([first, second]: readonly string[]) => first === lead && second === order;
	const index = lead === undefined ? undefined : indexesOf(kind).find(isInOrder);
	return index && where.every(({ field }) => index.includes(field)) ? lead : undefined;
}

/** The field by which long lists are sorted, if the kind has one. */
export function timelineOf(kind: EntityKind): string | undefined {
	const { timeline }: Indexed = entityKinds[kind];
	return timeline;
}

/** Whether the index by time, which has a place for all entities, tells the field as well. */
export function standsInTimeline(kind: EntityKind, field: string): boolean {
	const timeline = timelineOf(kind);
	return timeline !== undefined && indexesOf(kind).some(([leading, ...others]) => leading === timeline && others.includes(field));
}

/** The fields of every unique index of a kind. */
export function uniqueIndexesOf(kind: EntityKind): Combinations {
	const { unique = [] }: Indexed = entityKinds[kind];
	return [["id"], ...unique];
}
