import type { EntityKindDefinition } from "./kind.ts";

/** A chunk of the content of a pack, which is the concatenation of all its files. The id is `<content>:<sequence>`, with six digits. */
export interface PackContentChunkEntity {
	readonly id: string;
	/** Id of the `pack_content`. */
	readonly content: string;
	/** Number of the chunk within its content, from 0 without gaps. */
	readonly sequence: number;
	/** Bytes of the chunk in base64. */
	readonly data: string;
}

export const packContentChunkKind: EntityKindDefinition<PackContentChunkEntity> = {
	fields: { id: "text", content: "text", sequence: "integer", data: "text" },
	unique: [["content", "sequence"]],
};
