import { type JsonValue, SvcError } from "../../contract/index.ts";
import { TemplateError, TemplateSyntaxError } from "../../language/templates/errors.ts";
import { compileTemplate, isTemplate } from "../../language/templates/template.ts";

/**
 * `SVC_INVALID`, naming the field, for a text that begins a template and is none. When the rule acts nobody is there to see it: the
 * text would go to the action as it stands, and a criterion would fail with each event.
 */
export function checkTemplates(path: string, value: JsonValue): void {
	if (typeof value === "string") return checkText(path, value);
	if (typeof value !== "object" || value === null) return;
	for (const [name, member] of Object.entries(value)) {
		checkTemplates(Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`, member);
	}
}

function checkText(path: string, text: string): void {
	if (!isTemplate(text)) return;
	try {
		compileTemplate(text);
	} catch (error) {
		if (!(error instanceof TemplateSyntaxError || error instanceof TemplateError)) throw error;
		const hint = "hint: {% raw %} in front and {% endraw %} behind keep braces as they are";
		throw new SvcError("SVC_INVALID", `${path}: is no template: ${error.message}; ${hint}`, { cause: error });
	}
}
