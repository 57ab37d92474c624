import type { EntityKindDefinition } from "./kind.ts";

/** A stored file of a pack. */
export interface PackContentFile {
	/** Path within the pack, separated by `/`. */
	readonly path: string;
	/** True if the file is executable. */
	readonly executable: boolean;
	readonly size: number;
	readonly sha256: string;
}

/** All files of a pack at one time. The id is the SHA-256 of their names, modes and bytes, so that equal contents are stored once. */
export interface PackContentEntity {
	readonly id: string;
	/** Ref of the pack for which the content was first stored. */
	readonly pack: string;
	/** Total bytes of all files. */
	readonly size: number;
	/** Number of chunks. */
	readonly chunks: number;
	/** True if all chunks are stored. */
	readonly complete: boolean;
	readonly created_at: string;
	/** Last time at which the content was stored, or a pack was changed to refer to it. */
	readonly used_at: string;
	/** Files in the order of their paths. */
	readonly files: readonly PackContentFile[];
}

export const packContentKind: EntityKindDefinition<PackContentEntity> = {
	fields: {
		id: "text",
		pack: "text",
		size: "integer",
		chunks: "integer",
		complete: "boolean",
		created_at: "text",
		used_at: "text",
		files: "json",
	},
	indexes: [["pack"]],
};
