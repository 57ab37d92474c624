import { isJsonObject, type JsonObject, type JsonValue, SvcError } from "../../../contract/index.ts";
import { TemplateError } from "../../../language/templates/errors.ts";
import { isTemplate } from "../../../language/templates/template.ts";
import { operators } from "./operators.ts";

/**
 * `SVC_INVALID`, naming the key, for a pattern that its operator can do nothing with, such as a text that is no regular expression: with
 * each event the criterion would fail, and nobody is there to see it. What a template makes is not known yet.
 *
 * @param criteria that can be compiled
 */
export function checkPatterns(criteria: JsonObject): void {
	for (const [key, entry] of Object.entries(criteria)) {
		const { type, pattern = null } = entry as JsonObject;
		const operator = String(type).toLowerCase();
		if (operator === "search" && isJsonObject(pattern)) checkPatterns(pattern);
		else if (pattern !== null && !(typeof pattern === "string" && isTemplate(pattern))) checkPattern(key, operator, pattern);
	}
}

function checkPattern(key: string, operator: string, pattern: JsonValue): void {
	try {
		operators.get(operator)?.checkPattern?.(pattern);
	} catch (error) {
		if (!(error instanceof TemplateError)) throw error;
		const message = `criteria "${key.slice(0, 200)}" has a pattern that ${operator} cannot use: ${error.message}`;
		throw new SvcError("SVC_INVALID", message, { cause: error });
	}
}
