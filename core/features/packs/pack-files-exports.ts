import { type DialectKind, type JsonObject, SvcError } from "../../contract/index.ts";
import { isRefName, namePattern } from "../../kernel/basics/names.ts";
import type { AssertPermitted } from "../../kernel/basics/permission-types.ts";
import { type Attribute, text } from "../../language/file-attributes.ts";
import type { PackDirectory } from "./packs-exports.ts";

/** Location of a file in a pack. */
export interface Place {
	readonly pack: string;
	/** Path relative to the pack. */
	readonly file: string;
}

/** Kinds of records that files of packs describe. */
export type PackKind = Exclude<DialectKind, "pack" | "config_schema">;

/** Context in which a file is registered. */
export interface Registering {
	/** Pack that contains the file. */
	readonly pack: PackDirectory;
	/** True if an operator overrides `enabled` of the file. The override then also applies to an existing record. */
	readonly isOverridden: boolean;
	/**
	 * Checks, before the write, the permissions on content of other packs that a new or changed record refers to. Permits everything at
	 * startup.
	 */
	readonly assertPermitted: AssertPermitted;
}

/** Files of one kind in packs. The feature that owns the described records implements this interface. */
export interface PackFileKind<Input extends { readonly name: string }> {
	readonly kind: Exclude<PackKind, "action">;
	/** Folder of a pack that contains the files. */
	readonly folder: string;
	/** Number of types of such records, for kinds that have types, such as the types of rules. */
	readonly typeCount?: number;
	/**
	 * Parses the metadata of a file. The ref of the record consists of the pack and `name`. Throws `SVC_INVALID`, which names the attribute
	 * and the allowed values.
	 */
	toInput(metadata: JsonObject, place: Place): Input;
	/** Creates the record, or updates it to match its file. */
	register(input: Input, how: Registering): Promise<void>;
	/** Returns the refs of the trigger types that the file declares, which are removed with the file. Default: none. */
	triggerTypes?(input: Input): readonly string[];
	/** Removes the record after its file was removed in a new version of the pack, or the pack itself was removed. */
	remove(ref: string): Promise<void>;
}

/** Updates the records of a kind to match the files of packs. An invalid file is reported; the other files are still registered. */
export type RegisterFiles = <Input extends { readonly name: string }>(files: PackFileKind<Input>) => Promise<void>;

/** Attributes that the service sets. Files may contain them, because a file may be written from a record. */
export const ownAttributes: Readonly<Record<string, Attribute>> = { id: text, uid: text, ref: text, metadata_file: text };

/** Name attribute that identifies a record in its pack. */
export const requiredName: Attribute = {
	description: "a name of letters (a to z, A to Z), digits, underscores, hyphens and dots",
	accepts: (value) => typeof value === "string" && isRefName(value),
	schema: { type: "string", pattern: namePattern.source },
	required: true,
};

/** Throws `SVC_INVALID` if the metadata names a pack other than the one that contains the file. */
export function checkPack(metadata: JsonObject, pack: string): void {
	if ((metadata["pack"] ?? pack) !== pack)
		throw new SvcError("SVC_INVALID", `attribute "pack" must be "${pack}", the pack that contains the file`);
}

/** Removes null members. A null attribute means the same as a missing one. */
export function withoutNull(values: JsonObject): JsonObject {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
