import { type FileSchema, toCasesSchema, toFileSchema } from "../../language/file-schema.ts";
import { ruleAttributes } from "./rule-file.ts";
import { ruleTestCaseAttributes } from "./rule-test-case-exports.ts";

export const ruleFileSchemas: readonly FileSchema[] = [
	{ name: "rule", schema: toFileSchema("Rule of a pack", ruleAttributes, true) },
	{ name: "rule-cases", schema: toCasesSchema("Cases of a rule", ruleTestCaseAttributes) },
];
