import { type FileSchema, toFileSchema } from "../../language/file-schema.ts";
import { policyAttributes } from "./policy-file.ts";

export const policyFileSchemas: readonly FileSchema[] = [
	{ name: "policy", schema: toFileSchema("Policy of a pack", policyAttributes, true) },
];
