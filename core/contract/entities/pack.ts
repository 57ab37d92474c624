import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** The stored record of a pack. */
export interface PackEntity {
	readonly id: string;
	readonly ref: string;
	readonly name: string;
	readonly description: string;
	readonly version: string;
	readonly author: string;
	/** Absolute path of the directory. Null for packs without a directory (`core`, `default`) and for installed packs. */
	readonly path: string | null;
	/** The manifest, including unknown members. */
	readonly metadata: JsonObject;
	/** SHA-256 of the files of an installed pack. The storage contains the files, and each node unpacks them. */
	readonly content: string | null;
	/** Source of an installed pack. Null for other packs. */
	readonly source: JsonObject | null;
	/** `at`, `by` and `execution_id` of the installation. Null for packs that were not installed. */
	readonly installation: JsonObject | null;
	/** Previous installations, latest first: `content`, `version`, `source` and `installation` of each. */
	readonly earlier: readonly JsonObject[] | null;
	/** Paths of the pack's files at registration, at most 1,000. Null for packs without files. */
	readonly files: readonly string[] | null;
	/** Unique id of the last registration, so that concurrent registrations do not mix. */
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
