import { type CaseAttributes, fileAttributes } from "../../core/feature.ts";

const { flag, object, objectList, requiredText, text } = fileAttributes;

/** Attributes of the test cases in `tests/aliases` of a pack. */
export const aliasCaseShape: CaseAttributes = {
	attributes: { name: text, alias: text, command: requiredText },
	expect: { matches: flag, action: text, parameters: object, executions: objectList },
};
