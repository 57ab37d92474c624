import { type EntityKind, entityKinds } from "../../core/contract/index.ts";

type FieldComparison = { readonly field: string; readonly form: string };
type Combinations = readonly (readonly string[])[];

interface IndexDeclaration {
	readonly unique?: Combinations;
	readonly indexes?: Combinations;
	readonly sparseIndexes?: Readonly<Record<string, Combinations>>;
	readonly oftenNull?: readonly string[];
	readonly timeline?: string;
}

/** Returns the fields of every index of a kind that is not unique. */
export function indexesOf(kind: EntityKind): Combinations {
	const { indexes = [] }: IndexDeclaration = entityKinds[kind];
	return [...indexes, ...sparseIndexesOf(kind).map(([, fields]) => fields)];
}

/** Returns the fields of every sparse index of a kind, each with its column. Entities in which that column is null are not in the index. */
export function sparseIndexesOf(kind: EntityKind): readonly (readonly [column: string, fields: readonly string[]])[] {
	const { sparseIndexes = {} }: IndexDeclaration = entityKinds[kind];
	return Object.entries(sparseIndexes).flatMap(([column, combinations]) => combinations.map((fields) => [column, fields] as const));
}

/** Returns true if a sparse index begins with the field and leaves out entities in which this field is null. */
export function hasSparseIndexOn(kind: EntityKind, field: string): boolean {
	return sparseIndexesOf(kind).some(([column, [leading]]) => column === field && leading === field);
}

/**
 * Returns true if an index begins with the field, and the field is null in many entities. A sparse index does not contain these entities.
 */
export function hasIndexWithManyNulls(kind: EntityKind, field: string): boolean {
	const { oftenNull = [] }: IndexDeclaration = entityKinds[kind];
	return oftenNull.includes(field) || hasSparseIndexOn(kind, field);
}

/**
 * Returns the field that must be null and with which an index for the query begins. The index must continue with the field of the requested
 * order, and contain all compared fields. Returns undefined if there is none.
 */
export function findLeadingNullField(kind: EntityKind, where: readonly FieldComparison[], order: string | undefined): string | undefined {
	const { oftenNull = [] }: IndexDeclaration = entityKinds[kind];
	const lead = where.find(({ field, form }) => form === "null" && oftenNull.includes(field))?.field;
	const isInOrder = ([first, second]: readonly string[]) => first === lead && second === order;
	const index = lead === undefined ? undefined : indexesOf(kind).find(isInOrder);
	return index && where.every(({ field }) => index.includes(field)) ? lead : undefined;
}

/** Returns the time field by which long lists of a kind are sorted. Returns undefined if the kind has none. */
export function timeFieldOf(kind: EntityKind): string | undefined {
	const { timeline }: IndexDeclaration = entityKinds[kind];
	return timeline;
}

/** Returns true if an index that begins with the time field of the kind also contains this field. */
export function isInTimeIndex(kind: EntityKind, field: string): boolean {
	const timeline = timeFieldOf(kind);
	return timeline !== undefined && indexesOf(kind).some(([leading, ...others]) => leading === timeline && others.includes(field));
}

/** Returns the fields of every unique index of a kind, including the id. */
export function uniqueIndexesOf(kind: EntityKind): Combinations {
	const { unique = [] }: IndexDeclaration = entityKinds[kind];
	return [["id"], ...unique];
}
