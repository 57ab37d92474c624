import { type FileSchema, toCasesSchema, toFileSchema } from "../../core/feature.ts";
import { aliasAttributes } from "./alias-file.ts";
import { aliasCaseShape } from "./alias-test-case-exports.ts";

export const aliasFileSchemas: readonly FileSchema[] = [
	{ name: "alias", schema: toFileSchema("Action alias of a pack", aliasAttributes, true) },
	{ name: "alias-cases", schema: toCasesSchema("Cases of an action alias", aliasCaseShape) },
];
