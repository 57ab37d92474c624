import type { Api } from "../../client/api.ts";
import type { JsonObject } from "../../contract/index.ts";

/** How reading one index of packs went. */
export interface PackIndexStatusRecord {
	readonly url: string;
	readonly packs: number;
	readonly message: string;
	/** `unresponsive`, `malformed` or `empty`; null where it went well. */
	readonly error: string | null;
}

/** The packs of all indexes, by name. */
export interface PackIndexRecord {
	readonly status: readonly PackIndexStatusRecord[];
	readonly index: Readonly<Record<string, JsonObject>>;
}

/** How the indexes of packs are. */
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

/** Packs that can be installed by name. */
export interface PackIndexClient {
	get(): Promise<PackIndexRecord>;
	health(): Promise<PackIndexHealthRecord>;
	/** Entries that hold a word: in the name first, then as a keyword, then elsewhere. */
	search(query: string): Promise<readonly JsonObject[]>;
	/** The entry of a name; undefined where there is none. */
	show(name: string): Promise<JsonObject | undefined>;
}

export function createPackIndexClient({ read }: Api): PackIndexClient {
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
