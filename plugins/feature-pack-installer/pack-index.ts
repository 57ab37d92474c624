import type { JsonObject } from "../../core/contract/index.ts";

/** Result of reading one index, in its wire form. */
export interface IndexStatus {
	readonly url: string;
	readonly packs: number;
	readonly message: string;
	readonly error: string | null;
}

/** All indexes merged into one. */
export interface MergedIndex {
	readonly status: readonly IndexStatus[];
	/** Entries by name. */
	readonly index: Readonly<Record<string, JsonObject>>;
}

export interface IndexHealth {
	readonly indexes: {
		readonly count: number;
		readonly valid: number;
		readonly invalid: number;
		/** Number of indexes for each error. */
		readonly errors: Readonly<Record<string, number>>;
		readonly status: readonly IndexStatus[];
	};
	readonly packs: { readonly count: number };
}

/** Packs that can be installed by name. If several indexes contain a name, the last index takes precedence. */
export interface PackIndexes {
	/** Returns the merged index. Does not throw if an index is unreachable; its status then contains the error. */
	get(): Promise<MergedIndex>;
	/** Returns the health of the indexes. */
	health(): Promise<IndexHealth>;
	/** Returns entries with a word: matches in the name first, then keywords, then other fields. Throws `SVC_INVALID` if it is empty. */
	search(query: string): Promise<readonly JsonObject[]>;
	/** Returns the entry of a pack, or undefined if no index contains its name. */
	show(name: string): Promise<JsonObject | undefined>;
}
