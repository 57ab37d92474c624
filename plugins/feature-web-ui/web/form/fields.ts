import {
	type JsonObject,
	type JsonValue,
	type ParameterDefinition,
	type ParameterDefinitions,
	parseInteger,
	parseJson,
	stringifyJson,
} from "../../../../core/contract/index.ts";
import * as messages from "../texts/form.ts";

/** Kind of input for a value. `any` accepts JSON; an entry that is not valid JSON becomes a string. */
export type FieldKind = "choice" | "flag" | "secret" | "number" | "text" | "json" | "any";

/** A field of a form: the name and definition of a parameter, and its kind of input. */
export interface Field {
	readonly name: string;
	readonly definition: ParameterDefinition;
	readonly kind: FieldKind;
}

/** Contents of the inputs of a form, by field name. An empty string means that the user entered no value. */
export type FieldTexts = Readonly<Record<string, string>>;

/** Validation errors of a form, by field name. */
export type FieldProblems = Readonly<Record<string, string>>;

/** Returns the fields of a schema that a user can set, the required ones first. */
export function toFields(schema: ParameterDefinitions): readonly Field[] {
	const fields = Object.entries(schema)
		.filter(([, { immutable }]) => immutable !== true)
		.map(([name, definition]) => ({ name, definition, kind: toKind(definition) }));
	return [...fields.filter(isNeeded), ...fields.filter((field) => !isNeeded(field))];
}

/** Returns true if the user must enter a value: it is required and has no default. */
export function isNeeded({ definition }: Field): boolean {
	return definition.required === true && (definition.default ?? null) === null;
}

/** Returns the contents of the inputs of a form for existing values. Secrets are left out. */
export function toTexts(fields: readonly Field[], values: JsonObject): FieldTexts {
	const given = fields.filter(({ name, kind }) => kind !== "secret" && Object.hasOwn(values, name));
	return Object.fromEntries(given.map((field) => [field.name, toText(field, values[field.name])]));
}

/** Result of reading a form. */
export interface FieldsRead {
	readonly values: JsonObject;
	/** Names of fields whose existing value the user removed. */
	readonly emptied: readonly string[];
	readonly problems: FieldProblems;
}

interface ReadOptions {
	/** Contents of the inputs before the user changed the form. Unchanged fields are not read. */
	readonly before?: FieldTexts | undefined;
	/** True if clearing an input removes the value. Default: false; it is then read as an empty value. */
	readonly canEmpty?: boolean | undefined;
}

/** Reads the values of a form and validates them. */
export function readTexts(fields: readonly Field[], texts: FieldTexts, { before, canEmpty = false }: ReadOptions = {}): FieldsRead {
	const values: Record<string, JsonValue> = {};
	const emptied: string[] = [];
	const problems: Record<string, string> = {};
	for (const field of fields) {
		const { name } = field;
		const text = texts[name] ?? "";
		if (text === (before?.[name] ?? "")) {
			if (text === "" && before === undefined && isNeeded(field)) problems[name] = messages.missing(name);
			continue;
		}
		if (text === "" && canEmpty) {
			if (isNeeded(field)) problems[name] = messages.missing(name);
			else emptied.push(name);
			continue;
		}
		try {
			values[name] = readText(field, text);
		} catch (error) {
			problems[name] = error instanceof Error ? error.message : String(error);
		}
	}
	return { values, emptied, problems };
}

function toKind({ enum: choices, secret, type }: ParameterDefinition): FieldKind {
	if (choices !== undefined) return "choice";
	if (secret === true) return "secret";
	switch (type) {
		case "boolean":
			return "flag";
		case "integer":
		case "number":
			return "number";
		case "string":
			return "text";
		case undefined:
			return "any";
		default:
			return "json";
	}
}

function toText({ kind }: Field, value: JsonValue | undefined): string {
	if (value === undefined || value === null) return "";
	if (kind === "choice") return stringifyJson(value);
	return typeof value === "string" ? value : stringifyJson(value, 2);
}

/**
 * Converts the content of an input to a value. A template stays a string regardless of the type, because the service renders templates
 * before it checks types. Throws an error with a message for the user if the content does not fit the type.
 */
function readText(field: Field, text: string): JsonValue {
	const { name, kind, definition } = field;
	const { type = "string" } = definition;
	if (kind === "text" || (kind === "secret" && type === "string") || /\{\{|\{%/.test(text)) return text;
	if (text.trim() === "") throw new Error(messages.notRemovable(name));
	if (kind === "any") return parseOrUndefined(text) ?? text;
	if (kind === "number" || type === "number" || type === "integer") return readNumber(name, type, text);
	const value = parseOrUndefined(text);
	if (value === undefined) throw new Error(messages.notJson(name, type));
	return value;
}

function readNumber(name: string, type: string, text: string): number | bigint {
	if (/^\s*[+-]?\d+\s*$/.test(text)) return parseInteger(text.trim());
	const value = Number(text);
	if (!Number.isFinite(value)) throw new Error(messages.notNumber(name));
	if (type === "integer" && !Number.isInteger(value)) throw new Error(messages.notInteger(name));
	return value;
}

function parseOrUndefined(text: string): JsonValue | undefined {
	try {
		return parseJson(text);
	} catch {
		return undefined;
	}
}
