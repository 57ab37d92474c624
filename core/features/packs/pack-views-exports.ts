import type { PackEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";

export interface PackFilter {
	readonly id?: readonly string[] | undefined;
	readonly name?: readonly string[] | undefined;
	readonly ref?: string | undefined;
}

export interface PackListing extends Paging {
	/** Fields to read; the other fields are absent from the result. Default: all. */
	readonly fields?: readonly (keyof PackEntity)[];
	/** Sort order. Default: by ref. */
	readonly orderBy?: readonly (readonly [field: "id" | "name" | "ref", direction: "asc" | "desc"])[];
}

/** A file of a pack. */
export interface PackFile {
	readonly path: string;
	readonly content: Uint8Array;
	/** Entity tag, which changes with the content. */
	readonly tag: string;
	/** Modification time in milliseconds since 1970. */
	readonly modified: number;
}

/** Packs of a service, addressed by ref or id. Methods throw `SVC_NOT_FOUND` if the pack does not exist. */
export interface Packs {
	list(filter: PackFilter, listing: PackListing): Promise<Page<PackEntity>>;
	get(refOrId: string): Promise<PackEntity>;
	/**
	 * Returns the text files of a pack that have at most 500,000 bytes each. Returns at most 1,000 files with 8,000,000 bytes in total; the
	 * rest is skipped. Throws `SVC_NOT_FOUND` if the files are on other nodes.
	 */
	texts(refOrId: string): Promise<readonly { readonly path: string; readonly text: string }[]>;
	/** Returns one file. Throws `SVC_NOT_FOUND` if it does not exist, and `SVC_INVALID` if it has more than 500,000 bytes. */
	file(refOrId: string, path: string): Promise<PackFile>;
}
