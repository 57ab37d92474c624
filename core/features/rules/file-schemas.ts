import { type FileSchema, toFileSchema } from "../../language/file-schema.ts";
import { ruleAttributes } from "./rule-file.ts";

export const ruleFileSchemas: readonly FileSchema[] = [{ name: "rule", schema: toFileSchema("Rule of a pack", ruleAttributes, true) }];
