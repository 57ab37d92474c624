import { flag, object, objectList, requiredText, text } from "../../language/file-attributes.ts";
import type { CaseAttributes } from "../../language/file-schema.ts";

/** Attributes of the test cases in `tests/aliases` of a pack. */
export const aliasCaseShape: CaseAttributes = {
	attributes: { name: text, alias: text, command: requiredText },
	expect: { matches: flag, action: text, parameters: object, executions: objectList },
};
