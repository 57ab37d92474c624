import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A pack, as it is kept. */
export interface PackEntity {
	readonly id: string;
	readonly ref: string;
	readonly name: string;
	readonly description: string;
	readonly version: string;
	readonly author: string;
	/** Absolute directory; null for packs without one (`core`, `default`). */
	readonly path: string | null;
	/** The manifest, unknown members included. */
	readonly metadata: JsonObject;
}

export const packKind: EntityKindDefinition<PackEntity> = {
	fields: {
		id: "text",
		ref: "text",
		name: "text",
		description: "text",
		version: "text",
		author: "text",
		path: "text",
		metadata: "json",
	},
	unique: [["ref"]],
	indexes: [["name"]],
};
