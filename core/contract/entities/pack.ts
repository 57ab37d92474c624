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
	/** Absolute directory; null for packs without one (`core`, `default`), and for those that were installed. */
	readonly path: string | null;
	/** The manifest, unknown members included. */
	readonly metadata: JsonObject;
	/** Of an installed pack: SHA-256 of its files, which the storage keeps and each node lays out for itself. */
	readonly content: string | null;
	/** Where an installed pack came from. */
	readonly source: JsonObject | null;
	/** Of an installed pack: `at`, `by` and `execution_id` of its installation. */
	readonly installation: JsonObject | null;
	/** What was installed before, the latest first: `content`, `version`, `source` and `installation` of each. */
	readonly earlier: readonly JsonObject[] | null;
	/** Paths of its files when it was registered, 1,000 at most; null for packs without files. */
	readonly files: readonly string[] | null;
	/** Another one with each registration, so that two at once do not mix. */
	readonly registration: string | null;
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
		content: "text",
		source: "json",
		installation: "json",
		earlier: "json",
		files: "json",
		registration: "text",
	},
	unique: [["ref"]],
	indexes: [["name"]],
};
