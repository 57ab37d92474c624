import type { EntityKindDefinition } from "./kind.ts";

/** A file of a pack, as it is kept. */
export interface PackContentFile {
	/** Inside the pack, with `/` between its parts. */
	readonly path: string;
	/** Whether it can be executed. */
	readonly executable: boolean;
	readonly size: number;
	readonly sha256: string;
}

/** All files of a pack as they were at one time. The id is the SHA-256 of their names, modes and bytes, so that the same files are kept once. */
export interface PackContentEntity {
	readonly id: string;
	/** Ref of the pack that it was first stored for. */
	readonly pack: string;
	/** Bytes of all files. */
	readonly size: number;
	/** How many pieces it is kept in. */
	readonly chunks: number;
	/** Whether all of them are there. */
	readonly complete: boolean;
	readonly created_at: string;
	/** Last time that it was stored, or that a pack was made to refer to it. */
	readonly used_at: string;
	/** In the order of their paths. */
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
