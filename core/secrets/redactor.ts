import type { JsonObject, JsonValue } from "../contract/index.ts";
import { secretMask } from "../contract/secret-mask.ts";
import { MultiPatternSearch } from "../lib/text-search/multi-pattern-search.ts";
import { replaceRanges, sliceRanges, type TextRanges } from "../lib/text-search/text-ranges.ts";
import { isLongEnough, toEncodings, toPlainEncodings } from "./secret-encodings.ts";

/**
 * `values`, `forms`: maximum characters of the values, and of all their encodings. Above them, everything is masked instead of searched.
 * `beginnings`, `plainlySearched`: maximum number of encodings, and characters of a text, for which a plain search is tried first.
 */
const limits = { values: 65_536, forms: 131_072, beginnings: 16, plainlySearched: 4_096 };
/**
 * Maximum nesting levels that are searched; deeper values are masked as a whole. `shown` applies to displayed values: the validation of
 * input refuses deeper ones. `kept` applies to values that are stored.
 */
const maxDepth = { shown: 100, kept: 2_000 };
/** If a string ends with this many leading characters of a secret, the secret was truncated there, and its beginning is masked. */
const minBeginningLength = 8;
/** Minimum characters of a run's token in any of its encodings. A token is shorter only if its issuer creates shorter ones. */
const minMarkedLength = 32;

export interface RedactorOptions {
	/** Token of a run. Its matches are in the `ranges` of the search, and also in `markedRanges`. */
	readonly token?: string | undefined;
	readonly isUnknown?: boolean;
	/** True if the redactor masks everything when there are too many values. Default true. */
	readonly isBounded?: boolean;
}

/**
 * Masks a set of secret values in everything that is shown. Masks everything if there are too many values to search for, or if the values
 * cannot be read (`unknown`).
 */
export class Redactor {
	static readonly none = new Redactor([]);
	/** Redactor that masks everything, because the secrets cannot be determined. */
	static readonly unknown = new Redactor([], { isUnknown: true });

	readonly values: readonly string[];
	/** Token of a run. */
	readonly token: string | undefined;
	readonly #isBounded: boolean;
	#isUnknown: boolean;
	#patterns: Patterns | undefined;
	#search: MultiPatternSearch | undefined;

	constructor(values: Iterable<string>, { token, isUnknown = false, isBounded = true }: RedactorOptions = {}) {
		this.values = [...new Set(values)].filter((value) => isLongEnough(value) && value !== secretMask);
		this.token = token;
		this.#isBounded = isBounded;
		this.#isUnknown = isUnknown || (isBounded && lengthOf(this.values) > limits.values);
	}

	/** True if there is nothing to mask. */
	get isEmpty(): boolean {
		return this.values.length === 0 && this.token === undefined && !this.#isUnknown;
	}

	/** True if strings are masked as a whole. */
	get isUnknown(): boolean {
		if (!this.#isUnknown) this.#listPatterns();
		return this.#isUnknown;
	}

	/**
	 * Returns true if it is evident without a search that a string contains no secret and that none begins at its end. That holds for a short
	 * line if only the token is searched for: the token is longer and has no line break. A result of false is not certain. The preceding text
	 * must not end within a secret. Saves the preparation of a search, which costs as much as a small run.
	 */
	cannotContainSecret(text: string): boolean {
		if (text.length >= this.#minMarkedLength || this.values.length > 0 || this.#isUnknown) return false;
		return text.endsWith("\n") && this.token?.includes("\n") !== true;
	}

	/** Search for the secrets. If everything is masked, it only finds the token. */
	get search(): MultiPatternSearch {
		this.#search ??= new MultiPatternSearch(this.#listPatterns().all);
		return this.#search;
	}

	/** Returns a redactor that also has these values; this redactor if it already has them. */
	withValues(values: readonly string[], token = this.token): Redactor {
		const added = values.filter((value) => isLongEnough(value) && value !== secretMask && !this.values.includes(value));
		if (added.length === 0 && token === this.token) return this;
		return new Redactor([...this.values, ...added], { token, isUnknown: this.#isUnknown });
	}

	/** Returns a redactor that also has the values of another one, but not its token; this redactor if it already has them. */
	union({ values, isUnknown }: Redactor): Redactor {
		const known = this.withValues(values);
		return isUnknown && !known.isUnknown ? new Redactor(known.values, { token: this.token, isUnknown }) : known;
	}

	/**
	 * Returns a string with its secrets masked, including the beginning of a secret at its end. A string that is one secret as a whole becomes
	 * a single mask even if it has several lines, like the value of a secret parameter.
	 */
	redactText(text: string): string {
		if (this.isEmpty || text.length === 0) return text;
		if (this.isUnknown) return secretMask;
		if (isFree(text, this.#listPatterns())) return text;
		const { ranges, state } = this.search.find(text);
		const open = this.search.partialMatchLength(state);
		if (ranges[0] === 0 && ranges[1] === text.length) return secretMask;
		const isCut = open >= minBeginningLength && (ranges.at(-1) ?? 0) < text.length;
		if (!isCut) return maskRanges(text, ranges);
		const start = text.length - open;
		return maskRanges(text.slice(0, start), sliceRanges(ranges, 0, start)) + maskRanges(text.slice(start), [0, open]);
	}

	/** Returns the value with its secrets masked, including those in names of members. Returns the same value if it contains none. */
	redactJson<T extends JsonValue | undefined>(value: T): T {
		if (this.isEmpty || value === undefined) return value;
		if (this.isUnknown) return hideAll(value) as T;
		const plainBelow = boundOf(this.#listPatterns().shortest);
		return replaceTexts(value, { replace: (text) => this.redactText(text), plainBelow }) as T;
	}

	/** Returns the value without the token, which is never stored. Returns the same value if it does not contain the token. */
	withoutToken<T extends JsonValue>(value: T): T {
		if (this.token === undefined) return value;
		const replace = (text: string) => (text.length < this.#minMarkedLength ? text : maskRanges(text, this.search.find(text).markedRanges));
		return replaceTexts(value, { replace, plainBelow: boundOf(this.#minMarkedLength) }, maxDepth.kept) as T;
	}

	/**
	 * Masks secrets in the messages and stacks of an error and its causes, which may quote the input that failed. Returns the same error.
	 */
	redactError<T>(error: T): T {
		let inner: unknown = error;
		for (let depth = 0; inner instanceof Error && depth < maxDepth.shown && !this.isEmpty; depth += 1) {
			const { stack } = inner;
			inner.message = this.redactText(inner.message);
			if (stack !== undefined) inner.stack = this.redactText(stack);
			inner = inner.cause;
		}
		return error;
	}

	/** Minimum characters of the token in any encoding; 0 if its length is unusual, because no minimum is certain then. */
	get #minMarkedLength(): number {
		return this.token === undefined || this.token.length >= minMarkedLength ? minMarkedLength : 0;
	}

	/** Returns the encodings of the secrets. They are computed on first use, because many runs have no text to redact. */
	#listPatterns(): Patterns {
		if (this.#patterns !== undefined) return this.#patterns;
		const all = new Map<string, boolean>();
		if (!this.#isUnknown) for (const value of this.values) for (const form of toEncodings(value)) all.set(form, false);
		if (this.#isBounded && lengthOf(all.keys()) > limits.forms) {
			this.#isUnknown = true;
			all.clear();
		}
		if (this.token !== undefined) for (const form of toPlainEncodings(this.token)) all.set(form, true);
		const beginnings = all.size > limits.beginnings ? undefined : [...all.keys()].map((form) => form.slice(0, minBeginningLength));
		let shortest = minBeginningLength;
		for (const { length } of all.keys()) shortest = Math.min(shortest, length);
		this.#patterns = { all, beginnings, shortest };
		return this.#patterns;
	}
}

/**
 * Returns the string with each range replaced by the mask. A range of several lines is replaced line by line, so that masked and unmasked
 * text have the same line numbers.
 */
export function maskRanges(text: string, ranges: TextRanges): string {
	return replaceRanges(text, ranges, (secret) => (secret.includes("\n") ? secret.replace(/[^\n]+/g, secretMask) : secretMask));
}

/** All encodings of the secrets of a redactor. */
interface Patterns {
	/** The value is true for encodings of the token. */
	readonly all: ReadonlyMap<string, boolean>;
	/** The first characters of each encoding, as many as are masked at the end of a string. Undefined if there are many encodings. */
	readonly beginnings: readonly string[] | undefined;
	/** Minimum characters of an encoding, or of a beginning that is masked at the end of a string. */
	readonly shortest: number;
}

/**
 * Returns true if a plain search shows that a string contains no secret, and no beginning of one at its end. A result of false is not
 * certain. Most runs print a few short strings and have few secrets. Building the automaton for them takes three quarters of the function
 * calls of an `echo`.
 */
function isFree(text: string, { beginnings, shortest }: Patterns): boolean {
	if (text.length < shortest) return true;
	return beginnings !== undefined && text.length <= limits.plainlySearched && !beginnings.some((beginning) => text.includes(beginning));
}

function lengthOf(texts: Iterable<string>): number {
	let sum = 0;
	for (const { length } of texts) sum += length;
	return sum;
}

/** Masks a value as a whole. Only null, booleans, and the names of members at the top level remain visible. */
function hideAll(value: JsonValue): JsonValue {
	if (typeof value !== "object" || value === null) return hide(value);
	if (Array.isArray(value)) return secretMask;
	return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hide(member as JsonValue)]));
}

function hide(value: JsonValue): JsonValue {
	return value === null || typeof value === "boolean" ? value : secretMask;
}

interface Replacing {
	readonly replace: (text: string) => string;
	/**
	 * Whole numbers whose absolute value is below this bound remain unchanged. They are too short to contain a secret and are not converted
	 * to strings.
	 */
	readonly plainBelow: number;
}

/** Returns a bound. Whole numbers whose absolute value is below it have fewer than `characters` characters, including a minus sign. */
function boundOf(characters: number): number {
	return 10 ** (characters - 2);
}

/**
 * Returns the value with `replace` applied to every string. A number whose digits are replaced becomes a string. Returns the same value if
 * nothing changes.
 */
function replaceTexts(value: JsonValue, replacing: Replacing, levels = maxDepth.shown): JsonValue {
	const { replace, plainBelow } = replacing;
	if (typeof value === "string") return replace(value);
	if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) < plainBelow) return value;
	if (typeof value === "number" || typeof value === "bigint") {
		const text = String(value);
		const replaced = text.length < 4 ? text : replace(text);
		return replaced === text ? value : replaced;
	}
	if (typeof value !== "object" || value === null) return value;
	if (levels < 0) return secretMask;
	if (Array.isArray(value)) {
		const copy = value.map((item: JsonValue) => replaceTexts(item, replacing, levels - 1));
		return copy.some((item, index) => item !== value[index]) ? copy : value;
	}
	return replaceMembers(value as JsonObject, replacing, levels);
}

function replaceMembers(value: JsonObject, replacing: Replacing, levels: number): JsonObject {
	let isChanged = false;
	const entries = Object.entries(value).map(([name, member]) => {
		const shown = [replacing.replace(name), replaceTexts(member, replacing, levels - 1)] as const;
		isChanged ||= shown[0] !== name || shown[1] !== member;
		return shown;
	});
	return isChanged ? Object.fromEntries(entries) : value;
}
