import type { FileReader } from "../../core/feature.ts";
import { findAliasTests } from "./alias-cases.ts";
import { toAliasInput } from "./alias-file.ts";
import { checkAlias } from "./check-alias.ts";

export const aliasFileReaders: readonly FileReader[] = [
	{
		kind: "action_alias",
		folder: "aliases",
		namesAction: true,
		findTests: findAliasTests,
		standIns: { name: "any_name", action_ref: "any.action", formats: ["any"] },
		read: (metadata, place) => checkAlias(toAliasInput(metadata, place), place.pack),
	},
];
