import type { FileReader } from "../packs/file-reader-exports.ts";
import { toAliasInput } from "./alias-file.ts";
import { checkAlias } from "./check-alias.ts";

export const aliasFileReaders: readonly FileReader[] = [
	{
		kind: "action_alias",
		folder: "aliases",
		standIns: { name: "any_name", action_ref: "any.action", formats: ["any"] },
		read: (metadata, place) => checkAlias(toAliasInput(metadata, place), place.pack),
	},
];
