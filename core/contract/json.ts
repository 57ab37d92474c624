import { SvcError } from "./errors.ts";

/**
 * A value that survives JSON: the type of parameters, results and event data.
 *
 * A whole number beyond `Number.MAX_SAFE_INTEGER` is a `bigint`, which `parseJson` reads and `stringifyJson` writes exactly.
 * `JSON.stringify` throws on it.
 */
export type JsonValue = string | number | bigint | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Never merge an object from outside into another object: `__proto__` is an ordinary key here. */
export interface JsonObject {
	readonly [key: string]: JsonValue;
}

/** Returns true if a value is an object with members. Null and arrays are not. */
export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Maximum number of digits of a whole number. The time to read it grows with the square of the digits. Python refuses more than 4,300. */
const maxDigits = 1_000;
/**
 * Matches JSON in which `JSON.parse` may change a number: 16 digits or more, or a positive exponent of three digits or more.
 *
 * Digits after a quote or a decimal point do not match, so that ids, hashes and common fractions are read at full speed.
 */
const mayLoseNumber = /(?:^|[\s:[,-])\d{16}|\d[eE]\+?\d{3,}\s*(?:[,\]}]|$)/;
/** Matches the opening quote of the next string, or the next number, in JSON. */
const stringOrNumber = /"|-?\d[\d.eE+-]*/g;
/**
 * Maximum number of whole numbers beyond `Number.MAX_SAFE_INTEGER` in JSON from outside, such as the body of a request.
 *
 * Reading and writing takes some microseconds for each number. Half a million of them would block the event loop for a second.
 */
export const maxLargeNumbers = 2_500;
/**
 * Prefix of strings that temporarily represent whole numbers. It is random and never leaves this file, so that no other string has it.
 */
const marker = Array.from(globalThis.crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("-");
const markedNumber = new RegExp(`"${marker}(-?\\d+)"`, "g");

/**
 * Parses JSON and preserves every whole number: one beyond `Number.MAX_SAFE_INTEGER` becomes a `bigint`.
 *
 * Throws a `SyntaxError` if the string is not JSON. Throws `SVC_INVALID` if a number cannot be represented, such as `1e400`. The message
 * names the number and its position.
 *
 * @param limit maximum number of `bigint` values; more of them are `SVC_INVALID`. Pass `maxLargeNumbers` for JSON from outside. Default: no
 * limit
 */
export function parseJson(text: string, limit = Number.POSITIVE_INFINITY): JsonValue {
	const value = JSON.parse(text) as JsonValue;
	if (!mayLoseNumber.test(text)) return value;
	const marked = markLargeNumbers(text, limit);
	return marked === text ? value : (restoreNumbers(JSON.parse(marked)) as JsonValue);
}

/**
 * Serializes a value as `JSON.stringify` does, and a `bigint` as a number. Returns undefined for values without JSON, such as functions.
 *
 * @param indent number of spaces for each level, or the string to indent a level with. If it is undefined, the result is a single line
 */
export function stringifyJson(value: unknown, indent?: number | string): string {
	try {
		return JSON.stringify(value, undefined, indent);
	} catch {
		// Throws again if the value is circular, for example. A replacer is several times slower, so the first attempt does without it.
		return JSON.stringify(value, markNumber, indent).replaceAll(markedNumber, "$1");
	}
}

/**
 * Returns the number for decimal digits with an optional sign: a `bigint` beyond `Number.MAX_SAFE_INTEGER`. Throws `SVC_INVALID` for more
 * than 1,001 characters.
 */
export function parseInteger(digits: string): number | bigint {
	if (digits.length < 16) return Number(digits);
	if (digits.length > maxDigits + 1) {
		throw new SvcError("SVC_INVALID", `the number ${digits.slice(0, 20)}… has more than ${maxDigits} digits`);
	}
	return toCanonicalInteger(BigInt(digits));
}

/** Returns a whole number in its canonical form: a plain number up to `Number.MAX_SAFE_INTEGER`, otherwise a `bigint`. */
export function toCanonicalInteger(whole: bigint): number | bigint {
	const number = Number(whole);
	return Number.isSafeInteger(number) ? number : whole;
}

/** Returns the JSON with its large whole numbers replaced by marked strings. */
function markLargeNumbers(text: string, limit: number): string {
	const pieces: string[] = [];
	let copiedLength = 0;
	stringOrNumber.lastIndex = 0;
	for (let match = stringOrNumber.exec(text); match !== null; match = stringOrNumber.exec(text)) {
		const [token] = match;
		if (token === '"') {
			stringOrNumber.lastIndex = findStringEnd(text, match.index + 1);
			continue;
		}
		if (token.length < 5 || !isLarge(token, match.index)) continue;
		pieces.push(text.slice(copiedLength, match.index), `"${marker}${token}"`);
		if (pieces.length > 2 * limit) {
			const rule = `at most ${limit} integers beyond ±${Number.MAX_SAFE_INTEGER} are allowed`;
			throw new SvcError("SVC_INVALID", `${rule}; write the others as strings`);
		}
		copiedLength = match.index + token.length;
	}
	return copiedLength === 0 ? text : pieces.join("") + text.slice(copiedLength);
}

/** Returns the position after the quote that ends a string. */
function findStringEnd(text: string, start: number): number {
	for (let quote = text.indexOf('"', start); ; quote = text.indexOf('"', quote + 1)) {
		let escapes = 0;
		while (text[quote - 1 - escapes] === "\\") escapes += 1;
		if (escapes % 2 === 0) return quote + 1;
	}
}

function isLarge(token: string, position: number): boolean {
	const number = Number(token);
	const isWhole = /^-?\d+$/.test(token);
	const digits = token.length - (token.startsWith("-") ? 1 : 0);
	if (isWhole && digits <= maxDigits) return !Number.isSafeInteger(number);
	if (!isWhole && Number.isFinite(number)) return false;
	const limit = isWhole ? `integers must have at most ${maxDigits} digits` : `the largest number is ${Number.MAX_VALUE}`;
	const shortToken = token.length > 40 ? `${token.slice(0, 40)}…` : token;
	throw new SvcError("SVC_INVALID", `the number ${shortToken} at character ${position + 1} cannot be represented: ${limit}`);
}

/** Replaces marked strings by their numbers. Uses an explicit stack, because deep values would exceed the call stack. */
function restoreNumbers(root: unknown): unknown {
	const pending: unknown[] = [[root]];
	const [holder] = pending as [unknown[]];
	for (let container = pending.pop(); container !== undefined; container = pending.pop()) {
		if (Array.isArray(container)) {
			for (let index = 0; index < container.length; index += 1) container[index] = restoreMember(container[index], pending);
			continue;
		}
		const record = container as Record<string, unknown>;
		for (const name of Object.keys(record)) {
			const member = record[name];
			const restored = restoreMember(member, pending);
			if (restored !== member) setMember(record, name, restored);
		}
	}
	return holder[0];
}

function restoreMember(member: unknown, pending: unknown[]): unknown {
	if (typeof member === "string") return member.startsWith(marker) ? BigInt(member.slice(marker.length)) : member;
	if (typeof member === "object" && member !== null) pending.push(member);
	return member;
}

function setMember(record: Record<string, unknown>, name: string, value: unknown): void {
	// Assigning to `__proto__` would replace the prototype instead of setting a member.
	if (name === "__proto__") Object.defineProperty(record, name, { value });
	else record[name] = value;
}

function markNumber(_key: string, value: unknown): unknown {
	return typeof value === "bigint" ? `${marker}${value}` : value;
}
