import { type EntityKind, entityKinds } from "../../core/contract/index.ts";

type Combinations = readonly (readonly string[])[];

interface Indexed {
	readonly unique?: Combinations;
	readonly indexes?: Combinations;
	readonly sparseIndexes?: Readonly<Record<string, Combinations>>;
}

/** The fields of every index of a kind that may have equal entries. */
export function indexesOf(kind: EntityKind): Combinations {
	const { indexes = [], sparseIndexes = {} }: Indexed = entityKinds[kind];
	return [...indexes, ...Object.values(sparseIndexes).flat()];
}

/** The fields of every unique index of a kind. */
export function uniqueIndexesOf(kind: EntityKind): Combinations {
	const { unique = [] }: Indexed = entityKinds[kind];
	return [["id"], ...unique];
}
