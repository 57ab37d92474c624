import { flag, object, requiredText, text } from "../../language/file-attributes.ts";
import type { CaseAttributes } from "../../language/file-schema.ts";

/** Attributes of the test cases in `tests/rules` of a pack. */
export const ruleTestCaseAttributes: CaseAttributes = {
	attributes: {
		name: requiredText,
		rule: text,
		payload: { ...object, required: true },
		datastore: object,
	},
	expect: { matches: flag, parameters: object, criterion: text },
};
