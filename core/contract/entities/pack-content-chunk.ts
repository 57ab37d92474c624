import type { EntityKindDefinition } from "./kind.ts";

/** A piece of the content of a pack: of the bytes of all its files, one behind the other. The id is `<content>:<sequence>`. */
export interface PackContentChunkEntity {
	readonly id: string;
	/** Id of the `pack_content`. */
	readonly content: string;
	/** From 0 without gaps. */
	readonly sequence: number;
	/** Base64. */
	readonly data: string;
}

export const packContentChunkKind: EntityKindDefinition<PackContentChunkEntity> = {
	fields: { id: "text", content: "text", sequence: "integer", data: "text" },
	unique: [["content", "sequence"]],
};
