import type { Ajv } from "ajv";
import { isJsonObject, type JsonValue, stringifyJson } from "../../contract/index.ts";
import { isNumber, isSameNumber, isWholeNumber } from "../whole-numbers.ts";

/** Value that the exact keywords currently validate. Validation is synchronous, so there is at most one at a time. */
let validatedValue: JsonValue = null;

/** Returns true if a value or schema contains a whole number beyond `Number.MAX_SAFE_INTEGER`. */
export function holdsLargeNumber(value: unknown): boolean {
	if (typeof value !== "object" || value === null) return typeof value === "bigint";
	for (const member of Object.values(value)) if (holdsLargeNumber(member)) return true;
	return false;
}

/** Returns a copy with ordinary numbers instead of large ones, because Ajv does not support `bigint`. */
export function toPlainNumbers(value: unknown): unknown {
	if (typeof value === "bigint") return Number(value);
	if (Array.isArray(value)) return value.map(toPlainNumbers);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toPlainNumbers(member)]));
}

/** Validates a value with large numbers by the keywords that `addExactKeywords` has registered. */
export function validateExactly(validate: (value: unknown) => unknown, value: JsonValue): boolean {
	validatedValue = value;
	try {
		return validate(toPlainNumbers(value)) === true;
	} finally {
		validatedValue = null;
	}
}

export interface ValidationContext {
	readonly instancePath: string;
}

type Comparison = (value: JsonValue, expected: JsonValue) => boolean;

const comparisons: Readonly<Record<string, readonly [Comparison, string]>> = {
	minimum: [(value, limit) => (value as number) >= (limit as number), "must be >= "],
	maximum: [(value, limit) => (value as number) <= (limit as number), "must be <= "],
	exclusiveMinimum: [(value, limit) => (value as number) > (limit as number), "must be > "],
	exclusiveMaximum: [(value, limit) => (value as number) < (limit as number), "must be < "],
	multipleOf: [isMultiple, "must be multiple of "],
};

/** Replaces the keywords that compare numbers with versions that compare a `bigint` exactly. */
export function addExactKeywords(ajv: Ajv): void {
	const replace = (keyword: string, compare: Comparison, toMessage: (expected: JsonValue) => string, type?: "number") => {
		ajv.removeKeyword(keyword);
		ajv.addKeyword({
			keyword,
			...(type !== undefined && { type }),
			validate: (expected: JsonValue, data: JsonValue, _schema: unknown, context?: ValidationContext) =>
				compare(findExactValue(context, data), expected),
			error: { message: ({ schema }) => toMessage(schema as JsonValue) },
		});
	};
	for (const [keyword, [compare, message]] of Object.entries(comparisons))
		replace(keyword, compare, (limit) => `${message}${stringifyJson(limit)}`, "number");
	const isOneOf: Comparison = (value, allowed) => (allowed as readonly JsonValue[]).some((allowedValue) => isEqual(value, allowedValue));
	replace("enum", isOneOf, () => "must be equal to one of the allowed values");
	replace("const", isEqual, () => "must be equal to constant");
}

/** Returns the original value at the path of a converted number. */
export function findExactValue(context: ValidationContext | undefined, data: JsonValue): JsonValue {
	if (context === undefined || (typeof data === "number" && Number.isSafeInteger(data))) return data;
	let value: JsonValue | undefined = validatedValue;
	for (const part of context.instancePath.split("/").slice(1)) {
		const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
		value = typeof value === "object" && value !== null ? (value as Readonly<Record<string, JsonValue>>)[name] : undefined;
	}
	return value ?? data;
}

function isMultiple(value: JsonValue, divisor: JsonValue): boolean {
	if (typeof value === "bigint" || typeof divisor === "bigint") {
		if (!isWholeNumber(value) || !isWholeNumber(divisor)) return Number.isInteger(Number(value) / Number(divisor));
		return BigInt(value) % BigInt(divisor) === 0n;
	}
	return Number.isInteger((value as number) / (divisor as number));
}

function isEqual(left: JsonValue, right: JsonValue): boolean {
	if (isNumber(left) && isNumber(right)) return isSameNumber(left, right);
	if (Array.isArray(left)) {
		return Array.isArray(right) && left.length === right.length && left.every((item, index) => isEqual(item, right[index] as JsonValue));
	}
	if (!isJsonObject(left) || !isJsonObject(right)) return left === right;
	const names = Object.keys(left);
	return (
		names.length === Object.keys(right).length &&
		names.every((name) => Object.hasOwn(right, name) && isEqual(left[name] as JsonValue, right[name] as JsonValue))
	);
}
