import type { PackEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";

export interface PackFilter {
	readonly id?: readonly string[];
	readonly name?: readonly string[];
	readonly ref?: string;
}

export interface PackListing extends Paging {
	/** Read only these; the others are absent. Default: all. */
	readonly fields?: readonly (keyof PackEntity)[];
	/** Default: by ref. */
	readonly orderBy?: readonly (readonly [field: "id" | "name" | "ref", direction: "asc" | "desc"])[];
}

/** A file of a pack. */
export interface PackFile {
	readonly path: string;
	readonly content: Uint8Array;
	/** Another one for other bytes. */
	readonly tag: string;
	/** Milliseconds since 1970. */
	readonly modified: number;
}

/** The packs of a service. Each is named by its ref or its id; `SVC_NOT_FOUND` where there is none. */
export interface Packs {
	list(filter: PackFilter, listing: PackListing): Promise<Page<PackEntity>>;
	get(refOrId: string): Promise<PackEntity>;
	/**
	 * Its files as far as they are texts of 500,000 bytes at most: 1,000 of them with 8,000,000 bytes in all, the rest is passed over.
	 * `SVC_NOT_FOUND` where they lie on other nodes.
	 */
	texts(refOrId: string): Promise<readonly { readonly path: string; readonly text: string }[]>;
	/** One file. `SVC_NOT_FOUND` where there is none, `SVC_INVALID` for one of more than 500,000 bytes. */
	file(refOrId: string, path: string): Promise<PackFile>;
}
