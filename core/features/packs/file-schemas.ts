import { type FileSchema, toDefinitionsSchema, toFileSchema } from "../../language/file-schema.ts";
import { actionAttributes } from "./reading/action-metadata.ts";
import { manifestAttributes } from "./reading/manifest.ts";
import { overridesSchema } from "./registration/overrides.ts";

export const packFileSchemas: readonly FileSchema[] = [
	{ name: "pack", schema: toFileSchema("Manifest of a pack", manifestAttributes, false) },
	{ name: "action", schema: toFileSchema("Action of a pack", actionAttributes, true) },
	{ name: "overrides", schema: overridesSchema },
	{ name: "config-schema", schema: toDefinitionsSchema("Schema of the configuration of a pack") },
];
