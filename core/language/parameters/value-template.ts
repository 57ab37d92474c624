import { type JsonObject, type JsonValue, parseJson } from "../../contract/index.ts";
import { TemplateSyntaxError } from "../templates/errors.ts";
import type { TemplateScope } from "../templates/scope.ts";
import { compileTemplate, isTemplate, type Template } from "../templates/template.ts";

/** Value that contains templates. */
export interface ValueTemplate {
	/** Names of the variables that the templates use. */
	readonly names: readonly string[];
	/**
	 * Renders the value.
	 *
	 * @param isKnown returns true if a name exists. A string that uses an unknown name stays unchanged. Default: all names exist.
	 */
	render(scope: TemplateScope, isKnown?: IsKnown): JsonValue;
}

type IsKnown = (name: string) => boolean;

/**
 * Compiles the templates in a value. Returns undefined if there are none. A string renders to a string. Inside arrays and objects, a string
 * that is a single variable or ends in `to_complex` keeps the type of its result. A string that cannot be parsed is a literal.
 */
export function toValueTemplate(value: JsonValue): ValueTemplate | undefined {
	if (typeof value !== "string") return compileContainer(value);
	const template = compileText(value);
	return template && toTextTemplate(value, template, (scope) => template.render(scope));
}

function toTextTemplate(text: string, template: Template, render: (scope: TemplateScope) => JsonValue): ValueTemplate {
	const { names } = template.references;
	return { names, render: (scope, isKnown) => (isKnown === undefined || names.every(isKnown) ? render(scope) : text) };
}

function compileContainer(value: JsonValue): ValueTemplate | undefined {
	if (typeof value === "string") return compileMember(value);
	if (Array.isArray(value)) return compileList(value as readonly JsonValue[]);
	return typeof value === "object" && value !== null ? compileObject(value as JsonObject) : undefined;
}

function compileMember(text: string): ValueTemplate | undefined {
	const template = compileText(text);
	if (template === undefined) return undefined;
	if (template.variable !== undefined) return toTextTemplate(text, template, (scope) => template.renderNative(scope));
	if (template.lastFilter !== "to_complex") return toTextTemplate(text, template, (scope) => template.render(scope));
	return toTextTemplate(text, template, (scope) => parseJson(template.render(scope)));
}

function compileList(values: readonly JsonValue[]): ValueTemplate | undefined {
	const templates = values.map(compileContainer);
	if (templates.every((template) => template === undefined)) return undefined;
	return {
		names: namesOf(templates),
		render: (scope, isKnown) =>
			values.map((value, index) => templates[index]?.render(scope, isKnown) ?? valueOrNull(value, templates[index])),
	};
}

function compileObject(values: JsonObject): ValueTemplate | undefined {
	const members = Object.entries(values).map(([key, value]) => ({
		key,
		value,
		name: toValueTemplate(key),
		template: compileContainer(value),
	}));
	if (members.every(({ name, template }) => name === undefined && template === undefined)) return undefined;
	return {
		names: [...new Set([...members.flatMap(({ name }) => name?.names ?? []), ...namesOf(members.map(({ template }) => template))])],
		// `Object.fromEntries` makes `__proto__` an ordinary member.
		render: (scope, isKnown) =>
			Object.fromEntries(
				members.map(({ key, value, name, template }) => [
					String(name?.render(scope, isKnown) ?? key),
					template?.render(scope, isKnown) ?? valueOrNull(value, template),
				]),
			),
	};
}

/** Returns null for a template that renders to null, because falling back to the template itself would be wrong. */
function valueOrNull(value: JsonValue, template: ValueTemplate | undefined): JsonValue {
	return template === undefined ? value : null;
}

function namesOf(templates: readonly (ValueTemplate | undefined)[]): string[] {
	return [...new Set(templates.flatMap((template) => template?.names ?? []))];
}

function compileText(text: string): Template | undefined {
	if (!isTemplate(text)) return undefined;
	try {
		return compileTemplate(text);
	} catch (error) {
		if (error instanceof TemplateSyntaxError) return undefined;
		throw error;
	}
}
