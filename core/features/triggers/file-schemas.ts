import { type FileSchema, toFileSchema } from "../../language/file-schema.ts";
import { triggerTypeAttributes } from "./trigger-type-file.ts";

export const triggerFileSchemas: readonly FileSchema[] = [
	{ name: "trigger", schema: toFileSchema("Trigger type of a pack", triggerTypeAttributes, true) },
];
