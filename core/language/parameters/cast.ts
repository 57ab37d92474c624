import {
	type JsonValue,
	maxLargeNumbers,
	maxPythonLiteralLength,
	type ParameterDefinition,
	type ParameterType,
	parseInteger,
	parseJson,
	parsePythonLiteral,
} from "../../contract/index.ts";
import { noneMarker } from "../templates/filters/json-filters.ts";
import { parseDecimal } from "../templates/filters/number-filters.ts";
import { isNumber } from "../whole-numbers.ts";
import { toParameterError } from "./parameter-errors.ts";

const wholeNumberPattern = /^\s*[+-]?\d+\s*$/;

interface CastOptions {
	/** True if the value is the output of a template; the strings `1` and `0` are then also booleans. */
	readonly isTemplateOutput: boolean;
}

/**
 * Converts a value to its declared type, before validation. Throws `SVC_INVALID` if no conversion exists. The message names the types but
 * not the value, which may be a secret.
 */
export function cast(name: string, value: JsonValue, definition: ParameterDefinition | undefined, options: CastOptions): JsonValue {
	if (value === null || value === noneMarker) return null;
	const type = definition?.type;
	const result = type === undefined ? value : conversions[type](value, options);
	if (result !== undefined) return result;
	const actual = typeof value === "string" && type !== "string" ? describeText(value) : describe(value);
	throw toParameterError(name, `parameter "${name}" must be ${articles[type as ParameterType]}, got ${actual}`);
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

/** Conversions by type. Each returns undefined if it cannot convert the value. */
const conversions: Readonly<Record<ParameterType, (value: JsonValue, options: CastOptions) => JsonValue | undefined>> = {
	string: (value) => (typeof value === "string" ? value : undefined),
	integer: toInteger,
	number: (value) => (typeof value === "string" ? parseNumber(value) : isNumber(value) ? value : undefined),
	boolean: toBoolean,
	array: (value) => toStructure(value, Array.isArray),
	object: (value) => toStructure(value, (parsed) => typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)),
	null: (value) => value,
};

function toInteger(value: JsonValue): number | bigint | undefined {
	if (typeof value === "boolean") return value ? 1 : 0;
	if (typeof value === "string") return wholeNumberPattern.test(value) ? parseInteger(value.trim()) : undefined;
	if (typeof value === "bigint") return value;
	const wholeNumber = typeof value === "number" ? Math.trunc(value) : Number.NaN;
	// Above this limit a number has lost digits, so the result would differ from the number that was written.
	return Number.isSafeInteger(wholeNumber) ? wholeNumber : undefined;
}

function parseNumber(text: string): number | bigint | undefined {
	return wholeNumberPattern.test(text) ? parseInteger(text.trim()) : parseDecimal(text);
}

function toBoolean(value: JsonValue, { isTemplateOutput }: CastOptions): boolean | undefined {
	if (typeof value === "boolean") return value;
	if (typeof value !== "string") return undefined;
	const word = value.trim().toLowerCase();
	if (word === "true" || (isTemplateOutput && word === "1")) return true;
	return word === "false" || (isTemplateOutput && word === "0") ? false : undefined;
}

/** Returns the value itself, or the value that a string contains as JSON or as a Python literal such as `{'a': True}`. */
function toStructure(value: JsonValue, isExpectedType: (structure: JsonValue) => boolean): JsonValue | undefined {
	const structure = typeof value === "string" ? parseText(value) : value;
	return structure !== undefined && isExpectedType(structure) ? structure : undefined;
}

function parseText(text: string): JsonValue | undefined {
	try {
		return parseJson(text, maxLargeNumbers);
	} catch {
		return parsePythonLiteral(text);
	}
}

function describeText(text: string): string {
	return text.length > maxPythonLiteralLength
		? `a string that is not JSON, which is required above ${maxPythonLiteralLength} characters`
		: "a string that cannot be converted";
}

function describe(value: JsonValue): string {
	if (Array.isArray(value)) return articles.array;
	if (typeof value === "object") return articles.object;
	if (typeof value === "bigint") return "a number";
	return typeof value === "boolean" ? "a boolean" : `a ${typeof value}`;
}
