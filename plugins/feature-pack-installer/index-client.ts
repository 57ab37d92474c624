import type { JsonObject } from "../../core/contract/index.ts";
import type { ApiClient } from "../../core/features/clients.ts";

/** Result of reading one pack index. */
export interface PackIndexStatusRecord {
	readonly url: string;
	readonly packs: number;
	readonly message: string;
	/** `unresponsive`, `malformed` or `empty`; null if the index was read. */
	readonly error: string | null;
}

/** The packs of all indexes, by name. */
export interface PackIndexRecord {
	readonly status: readonly PackIndexStatusRecord[];
	readonly index: Readonly<Record<string, JsonObject>>;
}

/** Health of the pack indexes. */
export interface PackIndexHealthRecord {
	readonly indexes: {
		readonly count: number;
		readonly valid: number;
		readonly invalid: number;
		readonly errors: Readonly<Record<string, number>>;
		readonly status: readonly PackIndexStatusRecord[];
	};
	readonly packs: { readonly count: number };
}

/** Client for packs that can be installed by name. */
export interface PackIndexClient {
	get(): Promise<PackIndexRecord>;
	health(): Promise<PackIndexHealthRecord>;
	/** Returns the entries that contain a word: matches in the name first, then keywords, then other fields. */
	search(query: string): Promise<readonly JsonObject[]>;
	/** Returns the entry of a pack, or undefined if no index contains its name. */
	show(name: string): Promise<JsonObject | undefined>;
}

export function createPackIndexClient({ read }: ApiClient): PackIndexClient {
	const search = <T>(body: object) => read<T>("/packs/index/search", { method: "POST", body });
	return {
		get: () => read("/packs/index"),
		health: () => read("/packs/index/health"),
		search: (query) => search({ query }),
		async show(pack) {
			const found = await search<JsonObject | readonly never[]>({ pack });
			return Array.isArray(found) ? undefined : (found as JsonObject);
		},
	};
}
