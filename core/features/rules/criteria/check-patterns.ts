import { isJsonObject, type JsonObject, type JsonValue, SvcError } from "../../../contract/index.ts";
import { TemplateError } from "../../../language/templates/errors.ts";
import { isTemplate } from "../../../language/templates/template.ts";
import { operators } from "./operators.ts";

/**
 * Throws `SVC_INVALID` with the key for a pattern that its operator cannot use, such as an invalid regular expression. Otherwise the
 * criterion would fail for each event, unnoticed by the author. Templates are not checked, as their values are not known yet.
 *
 * @param criteria valid criteria: `compileCriteria` accepts them
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
