import { type FileReader, type FileSchema, toCasesSchema, toFileSchema } from "../../core/feature.ts";
import { findAliasTests } from "./alias-cases.ts";
import { toAliasFields } from "./alias-fields.ts";
import { aliasAttributes, toAliasInput } from "./alias-file.ts";
import { aliasCaseShape } from "./alias-test-case-exports.ts";

export const aliasFileSchemas: readonly FileSchema[] = [
	{ name: "alias", schema: toFileSchema("Action alias of a pack", aliasAttributes, true) },
	{ name: "alias-cases", schema: toCasesSchema("Cases of an action alias", aliasCaseShape) },
];

export const aliasFileReaders: readonly FileReader[] = [
	{
		kind: "action_alias",
		folder: "aliases",
		namesAction: true,
		findTests: findAliasTests,
		standIns: { name: "any_name", action_ref: "any.action", formats: ["any"] },
		read: (metadata, place) => toAliasFields(toAliasInput(metadata, place), place.pack),
	},
];
