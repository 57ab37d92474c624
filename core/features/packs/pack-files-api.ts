import { type DialectKind, type JsonObject, SvcError } from "../../contract/index.ts";
import { isRefName, namePattern } from "../../kernel/basics/names.ts";
import type { AssertPermitted } from "../../kernel/basics/permission-types.ts";
import { type Attribute, text } from "../../language/attributes.ts";
import type { PackDirectory } from "./packs-api.ts";

/** Where in the packs a file lies. */
export interface Place {
	readonly pack: string;
	/** Path in the pack. */
	readonly file: string;
}

/** Kinds of records that files of packs describe. */
export type PackKind = Exclude<DialectKind, "pack" | "config_schema">;

/** Circumstances of the registration of a file. */
export interface Registering {
	/** Pack that the file lies in. */
	readonly pack: PackDirectory;
	/** `enabled` is not the file's but the operator's word, and counts also for a record that is there. */
	readonly isOverridden: boolean;
	/** Called with what a new or changed record concerns outside of its pack, before it is written. Permits everything at a start of the service. */
	readonly assertPermitted: AssertPermitted;
}

/** Files of one kind that packs may hold, for the feature that the records belong to which the files describe. */
export interface PackFiles<Input extends { readonly name: string }> {
	readonly kind: Exclude<PackKind, "action">;
	/** Folder of a pack that they lie in. */
	readonly folder: string;
	/** How many types of such records there are, of kinds that have types. */
	readonly typeCount?: number;
	/** What a file says; the ref of the record is made of the pack and of `name`. `SVC_INVALID` names the attribute and what is allowed. */
	toInput(metadata: JsonObject, place: Place): Input;
	/** Make the record, or make it say what its file does. */
	register(input: Input, how: Registering): Promise<void>;
	/** Refs of the trigger types that come with the record and go with its file. Default none. */
	triggerTypes?(input: Input): readonly string[];
	/** Remove the record, as its file has gone with a new version of the pack, or the pack itself. */
	remove(ref: string): Promise<void>;
}

/** Make the records of a kind say what the files of packs say. A bad file is told of, and the others go on. */
export type RegisterFiles = <Input extends { readonly name: string }>(files: PackFiles<Input>) => Promise<void>;

/** Attributes that are set by the service; a file that was written by it may hold them. */
export const ownAttributes: Readonly<Record<string, Attribute>> = { id: text, uid: text, ref: text, metadata_file: text };

/** A name that records are known by. */
export const requiredName: Attribute = {
	description: "made of letters (a to z, A to Z), digits, underscore, minus and dot",
	accepts: (value) => typeof value === "string" && isRefName(value),
	schema: { type: "string", pattern: namePattern.source },
	required: true,
};

/** A pack describes what is its own. */
export function checkPack(metadata: JsonObject, pack: string): void {
	if ((metadata["pack"] ?? pack) !== pack)
		throw new SvcError("SVC_INVALID", `attribute "pack" must be "${pack}", the pack the file lies in`);
}

/** Null stands for a missing attribute. */
export function withoutNull(values: JsonObject): JsonObject {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
