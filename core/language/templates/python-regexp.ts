import { isSvcError, toErrorMessage } from "../../contract/index.ts";
import { type BoundedRegExp, createBoundedRegExp } from "../bounded-regexp.ts";
import { TemplateError } from "./errors.ts";

/** Options of a regular expression. */
export interface PythonRegExpOptions {
	/** True if upper and lower case are equal. */
	readonly ignoreCase?: boolean;
	/** True if a dot also matches line breaks. */
	readonly dotAll?: boolean;
	/** True if a match must begin at the start of the string. */
	readonly fromStart?: boolean;
	/** True if searches continue after the first match. `matches` and `detailedMatches` require it. */
	readonly global?: boolean;
	/** True if `^` and `$` also match at line breaks. */
	readonly multiLine?: boolean;
	/** True if `detailedMatches` also returns the positions of groups. */
	readonly hasIndices?: boolean;
}

const maxCachedPatterns = 1_000;
const patternCache = new Map<string, BoundedRegExp>();

/** Compiles a regular expression in Python syntax. Compiled expressions are cached. Throws `TemplateError` if the pattern is not valid. */
export function compilePythonRegExp(pattern: string, options: PythonRegExpOptions = {}): BoundedRegExp {
	const key = JSON.stringify([pattern, options]);
	let expression = patternCache.get(key);
	if (expression === undefined) {
		expression = compile(pattern, options);
		if (patternCache.size >= maxCachedPatterns) patternCache.delete(patternCache.keys().next().value as string);
		patternCache.set(key, expression);
	}
	return expression;
}

function compile(pattern: string, { ignoreCase, dotAll, fromStart, global, multiLine, hasIndices }: PythonRegExpOptions): BoundedRegExp {
	const inlineFlags = /^\(\?([aimsu]+)\)/.exec(pattern);
	const flagLetters = inlineFlags?.[1] ?? "";
	const body = pattern.slice(inlineFlags?.[0].length ?? 0);
	const flagIf = (letter: string, option?: boolean) => (option === true || flagLetters.includes(letter) ? letter : "");
	const flags = `${global === true ? "g" : ""}${hasIndices === true ? "d" : ""}${flagIf("i", ignoreCase)}${flagIf("m", multiLine)}${flagIf("s", dotAll)}`;
	const enclose = (source: string) => (fromStart === true ? `^(?:${source})` : source);
	try {
		return withTemplateErrors(createBoundedRegExp(enclose(translate(body, true)), `${flags}u`));
	} catch (error) {
		if (isSvcError(error)) throw new TemplateError(error.message, { cause: error });
		// If the Unicode flag is not set, a character without special meaning, such as a single brace, may be written without a backslash.
		try {
			return withTemplateErrors(createBoundedRegExp(enclose(translate(body, false)), flags));
		} catch (cause) {
			throw new TemplateError(`the regular expression cannot be read: ${reasonOf(cause)}`);
		}
	}
}

/** Returns the expression with searches that throw `TemplateError` when they time out. */
function withTemplateErrors(expression: BoundedRegExp): BoundedRegExp {
	const convertErrors = <T>(search: () => T): T => {
		try {
			return search();
		} catch (error) {
			if (isSvcError(error)) throw new TemplateError(error.message, { cause: error });
			throw error;
		}
	};
	return {
		test: (text) => convertErrors(() => expression.test(text)),
		replace: (text, replacement) => convertErrors(() => expression.replace(text, replacement)),
		matches: (text) => convertErrors(() => expression.matches(text)),
		detailedMatches: (text) => convertErrors(() => expression.detailedMatches(text)),
	};
}

/** Returns the reason of a syntax error without the pattern, which may be a secret. */
function reasonOf(error: unknown): string {
	return toErrorMessage(error).split(": ").at(-1) ?? "";
}

const wordCharacters = "\\p{L}\\p{M}\\p{N}_";
/** Escapes that go beyond ASCII in Python, each with its translation outside and inside a set. */
const unicodeEscapes: Readonly<Record<string, readonly [outside: string, inside: string | undefined]>> = {
	w: [`[${wordCharacters}]`, wordCharacters],
	W: [`[^${wordCharacters}]`, undefined],
	d: ["\\p{Nd}", "\\p{Nd}"],
	D: ["\\P{Nd}", "\\P{Nd}"],
	b: [`(?:(?<=[${wordCharacters}])(?![${wordCharacters}])|(?<![${wordCharacters}])(?=[${wordCharacters}]))`, "\\x08"],
	B: [`(?:(?<=[${wordCharacters}])(?=[${wordCharacters}])|(?<![${wordCharacters}])(?![${wordCharacters}]))`, undefined],
};
const anchorEscapes: Readonly<Record<string, string>> = { A: "(?<![^])", Z: "(?![^])", a: "\\x07" };
const translatedSyntax = /\\([^])|\(\?P<|\(\?P=(\w+)\)|\(\?#[^)]*\)|\[|\]/gu;

/** Translates a pattern from Python to JavaScript syntax. */
function translate(pattern: string, isUnicode: boolean): string {
	/** Index of the first character after the opening bracket and `^` of the set; undefined outside a set. */
	let setStart: number | undefined;
	return pattern.replace(
		translatedSyntax,
		(match: string, escapedCharacter: string | undefined, name: string | undefined, offset: number) => {
			if (escapedCharacter !== undefined) return translateEscape(escapedCharacter, isUnicode, setStart !== undefined);
			if (match === "[") {
				if (setStart !== undefined) return "\\[";
				setStart = offset + (pattern[offset + 1] === "^" ? 2 : 1);
				return "[";
			}
			if (match === "]") {
				// As the first element of a set, `]` does not close it.
				if (offset === setStart) return "\\]";
				setStart = undefined;
				return "]";
			}
			if (setStart !== undefined) return match;
			if (name !== undefined) return `\\k<${name}>`;
			return match === "(?P<" ? "(?<" : "";
		},
	);
}

function translateEscape(escapedCharacter: string, isUnicode: boolean, isInSet: boolean): string {
	const [outside, inside] = isUnicode && Object.hasOwn(unicodeEscapes, escapedCharacter) ? (unicodeEscapes[escapedCharacter] ?? []) : [];
	const translation = isInSet ? inside : outside;
	if (translation !== undefined) return translation;
	if (!isInSet && Object.hasOwn(anchorEscapes, escapedCharacter)) return anchorEscapes[escapedCharacter] ?? "";
	// If the Unicode flag is set, only characters with a special meaning may be escaped.
	if (isUnicode && !/[\^$\\.*+?()[\]{}|/\-\p{L}\p{N}]/u.test(escapedCharacter)) return escapedCharacter;
	return escapedCharacter === "-" && !isInSet ? "-" : `\\${escapedCharacter}`;
}
