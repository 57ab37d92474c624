import { type EntityKind, entityKinds } from "../../core/contract/index.ts";

type Combinations = readonly (readonly string[])[];

interface Indexed {
	readonly unique?: Combinations;
	readonly indexes?: Combinations;
	readonly sparseIndexes?: Readonly<Record<string, Combinations>>;
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
