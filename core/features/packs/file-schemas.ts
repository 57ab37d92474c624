import { type FileSchema, toDefinitionsSchema, toFileSchema } from "../../language/file-schema.ts";
import { actionAttributes } from "./action-metadata.ts";
import { manifestAttributes } from "./manifest.ts";
import { overridesSchema } from "./overrides.ts";

export const packFileSchemas: readonly FileSchema[] = [
	{ name: "pack", schema: toFileSchema("Manifest of a pack", manifestAttributes, false) },
	{ name: "action", schema: toFileSchema("Action of a pack", actionAttributes, true) },
	{ name: "overrides", schema: overridesSchema },
	{ name: "config-schema", schema: toDefinitionsSchema("What the configuration of a pack may hold") },
];
