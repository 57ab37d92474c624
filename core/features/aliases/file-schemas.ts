import { type FileSchema, toFileSchema } from "../../language/file-schema.ts";
import { aliasAttributes } from "./alias-file.ts";

export const aliasFileSchemas: readonly FileSchema[] = [
	{ name: "alias", schema: toFileSchema("Action alias of a pack", aliasAttributes, true) },
];
