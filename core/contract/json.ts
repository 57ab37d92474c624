import { SvcError } from "./errors.ts";

/**
 * A value that survives JSON: what parameters, results and event data are made of. A whole number beyond `Number.MAX_SAFE_INTEGER` is a
 * `bigint`, which `parseJson` reads and `stringifyJson` writes exactly; `JSON.stringify` throws on it.
 */
export type JsonValue = string | number | bigint | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Never merge one that came from outside into another object: `__proto__` is an ordinary key here. */
export interface JsonObject {
	readonly [key: string]: JsonValue;
}

/** Whether a value is an object with members, rather than null or an array. */
export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Digits of a whole number that are read. Reading more takes time that grows with their square, and Python refuses them from 4,301 on. */
const maxDigits = 1_000;
/**
 * Finds texts in which `JSON.parse` may change a number: one of 16 digits or more, or with an exponent of three digits. Digits behind a
 * quote or a point do not count, so that ids, hashes and usual fractions are read at full speed.
 */
const mayLoseNumber = /(?:^|[\s:[,-])\d{16}|\d[eE]\+?\d{3,}\s*(?:[,\]}]|$)/;
/** The next text or number of a JSON text. */
const quoteOrNumber = /"|-?\d[\d.eE+-]*/g;
/**
 * Most whole numbers beyond `Number.MAX_SAFE_INTEGER` in one text that comes from outside, such as the body of a request. Reading and writing
 * each takes some microseconds, and half a million of them would hold up the event loop for a second.
 */
export const maxLargeNumbers = 2_500;
/** Marks whole numbers that stand as texts for a moment. It is random and never leaves this file, so that no other text begins with it. */
const mark = Array.from(globalThis.crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("-");
const markedNumber = new RegExp(`"${mark}(-?\\d+)"`, "g");

/**
 * Reads JSON and keeps every whole number exactly: one beyond `Number.MAX_SAFE_INTEGER` becomes a `bigint`. Throws a `SyntaxError` if the
 * text is not JSON, and `SVC_INVALID`, which names the number and where it stands, if a number cannot be represented, such as `1e400`.
 *
 * @param most most numbers that become a `bigint`; more are `SVC_INVALID`. Pass `maxLargeNumbers` for a text from outside. Default: no limit
 */
export function parseJson(text: string, most = Number.POSITIVE_INFINITY): JsonValue {
	const value = JSON.parse(text) as JsonValue;
	if (!mayLoseNumber.test(text)) return value;
	const marked = markLargeNumbers(text, most);
	return marked === text ? value : (restoreNumbers(JSON.parse(marked)) as JsonValue);
}

/**
 * Writes JSON as `JSON.stringify` does, and a `bigint` as the number that it is. Returns undefined for what has no JSON, such as a function.
 *
 * @param indent blanks for each level, or the text that stands for a level; everything is on one line if it is undefined
 */
export function stringifyJson(value: unknown, indent?: number | string): string {
	try {
		return JSON.stringify(value, undefined, indent);
	} catch {
		// Throws again if the value is, for example, circular. A replacer makes it several times slower, so that it is not used at first.
		return JSON.stringify(value, markNumber, indent).replaceAll(markedNumber, "$1");
	}
}

/** The number that decimal digits stand for: a `bigint` beyond `Number.MAX_SAFE_INTEGER`. `SVC_INVALID` if there are too many digits. */
export function parseWholeNumber(digits: string): number | bigint {
	if (digits.length < 16) return Number(digits);
	if (digits.length > maxDigits + 1) {
		throw new SvcError("SVC_INVALID", `the number ${digits.slice(0, 20)}… has more than ${maxDigits} digits`);
	}
	return toWholeNumber(BigInt(digits));
}

/** A whole number as values hold it: a plain number up to `Number.MAX_SAFE_INTEGER`, a `bigint` beyond. */
export function toWholeNumber(whole: bigint): number | bigint {
	const number = Number(whole);
	return Number.isSafeInteger(number) ? number : whole;
}

/** A text that is JSON, with its large whole numbers as marked texts. */
function markLargeNumbers(text: string, most: number): string {
	const pieces: string[] = [];
	let copied = 0;
	quoteOrNumber.lastIndex = 0;
	for (let found = quoteOrNumber.exec(text); found !== null; found = quoteOrNumber.exec(text)) {
		const [token] = found;
		if (token === '"') {
			quoteOrNumber.lastIndex = findEnd(text, found.index + 1);
			continue;
		}
		if (token.length < 5 || !isLarge(token, found.index)) continue;
		pieces.push(text.slice(copied, found.index), `"${mark}${token}"`);
		if (pieces.length > 2 * most) {
			const rule = `at most ${most} whole numbers beyond ±${Number.MAX_SAFE_INTEGER} are read`;
			throw new SvcError("SVC_INVALID", `${rule}; write more of them as texts`);
		}
		copied = found.index + token.length;
	}
	return copied === 0 ? text : pieces.join("") + text.slice(copied);
}

/** The position after the quote that ends a text. */
function findEnd(text: string, start: number): number {
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
	const limit = isWhole ? `whole numbers have at most ${maxDigits} digits` : `the largest number is ${Number.MAX_VALUE}`;
	const shown = token.length > 40 ? `${token.slice(0, 40)}…` : token;
	throw new SvcError("SVC_INVALID", `the number ${shown} at character ${position + 1} cannot be represented: ${limit}`);
}

/** Puts numbers in the places of their marked texts. Keeps a list of what is open, since recursion is limited by the stack. */
function restoreNumbers(root: unknown): unknown {
	const open: unknown[] = [[root]];
	const [holder] = open as [unknown[]];
	for (let container = open.pop(); container !== undefined; container = open.pop()) {
		if (Array.isArray(container)) {
			for (let index = 0; index < container.length; index += 1) container[index] = restoreMember(container[index], open);
			continue;
		}
		const record = container as Record<string, unknown>;
		for (const name of Object.keys(record)) {
			const member = record[name];
			const restored = restoreMember(member, open);
			if (restored !== member) setMember(record, name, restored);
		}
	}
	return holder[0];
}

function restoreMember(member: unknown, open: unknown[]): unknown {
	if (typeof member === "string") return member.startsWith(mark) ? BigInt(member.slice(mark.length)) : member;
	if (typeof member === "object" && member !== null) open.push(member);
	return member;
}

function setMember(record: Record<string, unknown>, name: string, value: unknown): void {
	// An assignment would set the prototype.
	if (name === "__proto__") Object.defineProperty(record, name, { value });
	else record[name] = value;
}

function markNumber(_key: string, value: unknown): unknown {
	return typeof value === "bigint" ? `${mark}${value}` : value;
}
