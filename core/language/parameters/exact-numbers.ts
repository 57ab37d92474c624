import type { Ajv } from "ajv";
import { isJsonObject, type JsonValue, stringifyJson } from "../../contract/index.ts";
import { isSameNumber } from "../whole-numbers.ts";

/** Value that is being validated by words that compare exactly. Validation is synchronous, so that there is one at a time. */
let validated: JsonValue = null;

/** Returns true if a value or a schema holds a whole number beyond `Number.MAX_SAFE_INTEGER`. */
export function holdsLargeNumber(value: unknown): boolean {
	if (typeof value !== "object" || value === null) return typeof value === "bigint";
	for (const member of Object.values(value)) if (holdsLargeNumber(member)) return true;
	return false;
}

/** A copy with plain numbers in the place of large ones: the validator knows no `bigint`. */
export function toPlainNumbers(value: unknown): unknown {
	if (typeof value === "bigint") return Number(value);
	if (Array.isArray(value)) return value.map(toPlainNumbers);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toPlainNumbers(member)]));
}

/** Validates a value with large numbers by words that `addExactWords` has defined. */
export function validateExactly(validate: (value: unknown) => unknown, value: JsonValue): boolean {
	validated = value;
	try {
		return validate(toPlainNumbers(value)) === true;
	} finally {
		validated = null;
	}
}

export interface ValidatedAt {
	readonly instancePath: string;
}

type Compare = (value: JsonValue, expected: JsonValue) => boolean;

const limits: Readonly<Record<string, readonly [Compare, string]>> = {
	minimum: [(value, limit) => (value as number) >= (limit as number), "must be >= "],
	maximum: [(value, limit) => (value as number) <= (limit as number), "must be <= "],
	exclusiveMinimum: [(value, limit) => (value as number) > (limit as number), "must be > "],
	exclusiveMaximum: [(value, limit) => (value as number) < (limit as number), "must be < "],
	multipleOf: [isMultiple, "must be multiple of "],
};

/** Replaces the words that compare numbers by such as compare a `bigint` exactly. */
export function addExactWords(ajv: Ajv): void {
	for (const [keyword, [compare, message]] of Object.entries(limits)) {
		ajv.removeKeyword(keyword);
		ajv.addKeyword({
			keyword,
			type: "number",
			validate: (limit: JsonValue, data: JsonValue, _schema: unknown, at?: ValidatedAt) => compare(findExact(at, data), limit),
			error: { message: ({ schema }) => `${message}${stringifyJson(schema)}` },
		});
	}
	ajv.removeKeyword("enum");
	ajv.addKeyword({
		keyword: "enum",
		validate: (allowed: readonly JsonValue[], data: JsonValue, _schema: unknown, at?: ValidatedAt) =>
			allowed.some((each) => isEqual(findExact(at, data), each)),
		error: { message: "must be equal to one of the allowed values" },
	});
	ajv.removeKeyword("const");
	ajv.addKeyword({
		keyword: "const",
		validate: (expected: JsonValue, data: JsonValue, _schema: unknown, at?: ValidatedAt) => isEqual(findExact(at, data), expected),
		error: { message: "must be equal to constant" },
	});
}

/** The value that a plain copy was made of, by its path. */
export function findExact(at: ValidatedAt | undefined, data: JsonValue): JsonValue {
	if (at === undefined || (typeof data === "number" && Number.isSafeInteger(data))) return data;
	let value: JsonValue | undefined = validated;
	for (const part of at.instancePath.split("/").slice(1)) {
		const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
		value = typeof value === "object" && value !== null ? (value as Readonly<Record<string, JsonValue>>)[name] : undefined;
	}
	return value ?? data;
}

function isMultiple(value: JsonValue, divisor: JsonValue): boolean {
	if (typeof value === "bigint" || typeof divisor === "bigint") {
		if (!isWhole(value) || !isWhole(divisor)) return Number.isInteger(Number(value) / Number(divisor));
		return BigInt(value) % BigInt(divisor) === 0n;
	}
	return Number.isInteger((value as number) / (divisor as number));
}

function isWhole(value: JsonValue): value is number | bigint {
	return typeof value === "bigint" || Number.isInteger(value);
}

function isNumber(value: JsonValue): value is number | bigint {
	return typeof value === "number" || typeof value === "bigint";
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
