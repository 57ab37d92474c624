import type { JsonObject } from "../../contract/index.ts";

/** How reading one index went, as the wire has it. */
export interface IndexStatus {
	readonly url: string;
	readonly packs: number;
	readonly message: string;
	readonly error: string | null;
}

/** All indexes as one. */
export interface MergedIndex {
	readonly status: readonly IndexStatus[];
	/** By name. */
	readonly index: Readonly<Record<string, JsonObject>>;
}

export interface IndexHealth {
	readonly indexes: {
		readonly count: number;
		readonly valid: number;
		readonly invalid: number;
		/** How many have which error. */
		readonly errors: Readonly<Record<string, number>>;
		readonly status: readonly IndexStatus[];
	};
	readonly packs: { readonly count: number };
}

/** The packs that can be had by name: of several indexes, what a later one says of a name holds. */
export interface PackIndexes {
	/** All of it. An index that cannot be reached is no error: its status says so. */
	get(): Promise<MergedIndex>;
	/** How the indexes are. */
	health(): Promise<IndexHealth>;
	/** Entries that hold a word: in the name first, then as a keyword, then elsewhere. `SVC_INVALID` for an empty one. */
	search(query: string): Promise<readonly JsonObject[]>;
	/** The entry of a name; undefined where there is none. */
	show(name: string): Promise<JsonObject | undefined>;
}
