import { type JsonObject, type JsonValue, parseJson } from "../../contract/index.ts";
import { TemplateSyntaxError } from "../templates/errors.ts";
import type { TemplateScope } from "../templates/scope.ts";
import { compileTemplate, isTemplate, type Template } from "../templates/template.ts";

/** A value that holds templates. */
export interface ValueTemplate {
	/** Names of the variables it uses. */
	readonly names: readonly string[];
	/** @param isKnown whether a name means something. A text that uses a name which does not is kept as it is. Default: all names count. */
	render(scope: TemplateScope, isKnown?: IsKnown): JsonValue;
}

type IsKnown = (name: string) => boolean;

/**
 * The templates in a value, or undefined when there are none. A text becomes text; inside arrays and objects a member that is
 * one variable, or ends in `to_complex`, keeps its type. What cannot be parsed is meant literally.
 */
export function toValueTemplate(value: JsonValue): ValueTemplate | undefined {
	if (typeof value !== "string") return inContainer(value);
	const template = compileText(value);
	return template && toTextTemplate(value, template, (scope) => template.render(scope));
}

function toTextTemplate(text: string, template: Template, render: (scope: TemplateScope) => JsonValue): ValueTemplate {
	const { names } = template.references;
	return { names, render: (scope, isKnown) => (isKnown === undefined || names.every(isKnown) ? render(scope) : text) };
}

function inContainer(value: JsonValue): ValueTemplate | undefined {
	if (typeof value === "string") return inMember(value);
	if (Array.isArray(value)) return inList(value as readonly JsonValue[]);
	return typeof value === "object" && value !== null ? inObject(value as JsonObject) : undefined;
}

function inMember(text: string): ValueTemplate | undefined {
	const template = compileText(text);
	if (template === undefined) return undefined;
	if (template.variable !== undefined) return toTextTemplate(text, template, (scope) => template.renderNative(scope));
	if (template.lastFilter !== "to_complex") return toTextTemplate(text, template, (scope) => template.render(scope));
	return toTextTemplate(text, template, (scope) => parseJson(template.render(scope)));
}

function inList(values: readonly JsonValue[]): ValueTemplate | undefined {
	const templates = values.map(inContainer);
	if (templates.every((template) => template === undefined)) return undefined;
	return {
		names: namesOf(templates),
		render: (scope, isKnown) => values.map((value, index) => templates[index]?.render(scope, isKnown) ?? plain(value, templates[index])),
	};
}

function inObject(values: JsonObject): ValueTemplate | undefined {
	const members = Object.entries(values).map(([key, value]) => ({ key, value, name: toValueTemplate(key), template: inContainer(value) }));
	if (members.every(({ name, template }) => name === undefined && template === undefined)) return undefined;
	return {
		names: [...new Set([...members.flatMap(({ name }) => name?.names ?? []), ...namesOf(members.map(({ template }) => template))])],
		// Made from entries, so that `__proto__` becomes an ordinary member.
		render: (scope, isKnown) =>
			Object.fromEntries(
				members.map(({ key, value, name, template }) => [
					String(name?.render(scope, isKnown) ?? key),
					template?.render(scope, isKnown) ?? plain(value, template),
				]),
			),
	};
}

/** A template that renders to null must not fall back to its own text. */
function plain(value: JsonValue, template: ValueTemplate | undefined): JsonValue {
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
