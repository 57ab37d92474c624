import {
	type JsonValue,
	maxLargeNumbers,
	maxPythonLiteral,
	type ParameterDefinition,
	type ParameterType,
	parseJson,
	parsePythonLiteral,
	parseWholeNumber,
} from "../../contract/index.ts";
import { noneMarker } from "../templates/filters/json-filters.ts";
import { invalidParameter } from "./parameter-errors.ts";

const wholeNumber = /^\s*[+-]?\d+\s*$/;

interface CastOptions {
	/** The value is the text of a template: 1 and 0 are booleans too then. */
	readonly rendered: boolean;
}

/** The value as its declared type says, before validation. Messages name types and never the value, which may be a secret. */
export function cast(name: string, value: JsonValue, definition: ParameterDefinition | undefined, options: CastOptions): JsonValue {
	if (value === null || value === noneMarker) return null;
	const type = definition?.type;
	const result = type === undefined ? value : casts[type](value, options);
	if (result !== undefined) return result;
	const given = typeof value === "string" && type !== "string" ? describeText(value) : describe(value);
	throw invalidParameter(name, `parameter "${name}" must be ${articles[type as ParameterType]}, got ${given}`);
}

const articles: Readonly<Record<ParameterType, string>> = {
	string: "a string",
	integer: "an integer",
	number: "a number",
	boolean: "a boolean (true or false)",
	array: "an array",
	object: "an object",
	null: "null",
};

/** The converted value, or undefined when there is no conversion. */
const casts: Readonly<Record<ParameterType, (value: JsonValue, options: CastOptions) => JsonValue | undefined>> = {
	string: (value) => (typeof value === "string" ? value : undefined),
	integer: toInteger,
	number: (value) => (typeof value === "string" ? parseNumber(value) : isNumber(value) ? value : undefined),
	boolean: toBoolean,
	array: (value) => toStructure(value, Array.isArray),
	object: (value) => toStructure(value, (parsed) => typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)),
	null: (value) => value,
};

function isNumber(value: JsonValue): value is number | bigint {
	return typeof value === "number" || typeof value === "bigint";
}

function toInteger(value: JsonValue): number | bigint | undefined {
	if (typeof value === "boolean") return value ? 1 : 0;
	if (typeof value === "string") return wholeNumber.test(value) ? parseWholeNumber(value.trim()) : undefined;
	if (typeof value === "bigint") return value;
	const whole = typeof value === "number" ? Math.trunc(value) : Number.NaN;
	// A larger one is a float, whose last digits are not those that were written.
	return Number.isSafeInteger(whole) ? whole : undefined;
}

function parseNumber(text: string): number | bigint | undefined {
	const trimmed = text.trim();
	if (wholeNumber.test(trimmed)) return parseWholeNumber(trimmed);
	if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return undefined;
	const number = Number(trimmed);
	return Number.isFinite(number) ? number : undefined;
}

function toBoolean(value: JsonValue, { rendered }: CastOptions): boolean | undefined {
	if (typeof value === "boolean") return value;
	if (typeof value !== "string") return undefined;
	const word = value.trim().toLowerCase();
	if (word === "true" || (rendered && word === "1")) return true;
	return word === "false" || (rendered && word === "0") ? false : undefined;
}

/** The value itself, or what its text holds: JSON, or else a literal of Python such as `{'a': True}`. */
function toStructure(value: JsonValue, isRight: (parsed: JsonValue) => boolean): JsonValue | undefined {
	const parsed = typeof value === "string" ? parseText(value) : value;
	return parsed !== undefined && isRight(parsed) ? parsed : undefined;
}

function parseText(text: string): JsonValue | undefined {
	try {
		return parseJson(text, maxLargeNumbers);
	} catch {
		return parsePythonLiteral(text);
	}
}

function describeText(text: string): string {
	return text.length > maxPythonLiteral ? `a text that is no JSON; above ${maxPythonLiteral} characters it must be` : "a text that is none";
}

function describe(value: JsonValue): string {
	if (Array.isArray(value)) return articles.array;
	if (typeof value === "object") return articles.object;
	if (typeof value === "bigint") return "a number";
	return typeof value === "boolean" ? "a boolean" : `a ${typeof value}`;
}
