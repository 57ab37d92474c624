import { isSvcError, toErrorMessage } from "../../contract/index.ts";
import { type BoundedRegExp, createBoundedRegExp } from "../safe-regexp.ts";
import { TemplateError } from "./errors.ts";

export interface TextPatternOptions {
	readonly ignoreCase?: boolean;
	/** A dot matches line breaks too. */
	readonly dotAll?: boolean;
	/** It must match from the start of the text. */
	readonly fromStart?: boolean;
	/** For `replace` and `matches`, which go on after the first match. */
	readonly global?: boolean;
	/** `^` and `$` match at line breaks too. */
	readonly multiLine?: boolean;
	/** For `occurrences`: where the groups of a match begin and end. */
	readonly places?: boolean;
}

const cacheSize = 1_000;
const cache = new Map<string, BoundedRegExp>();

/** A regular expression in the syntax of the reference language; compiled ones are kept. `TemplateError` when it is none. */
export function compileTextPattern(pattern: string, options: TextPatternOptions = {}): BoundedRegExp {
	const key = JSON.stringify([pattern, options]);
	let compiled = cache.get(key);
	if (compiled === undefined) {
		compiled = compile(pattern, options);
		if (cache.size >= cacheSize) cache.delete(cache.keys().next().value as string);
		cache.set(key, compiled);
	}
	return compiled;
}

function compile(pattern: string, { ignoreCase, dotAll, fromStart, global, multiLine, places }: TextPatternOptions): BoundedRegExp {
	const inline = /^\(\?([aimsu]+)\)/.exec(pattern);
	const letters = inline?.[1] ?? "";
	const body = pattern.slice(inline?.[0].length ?? 0);
	const isSet = (letter: string, option?: boolean) => (option === true || letters.includes(letter) ? letter : "");
	const flags = `${global === true ? "g" : ""}${places === true ? "d" : ""}${isSet("i", ignoreCase)}${isSet("m", multiLine)}${isSet("s", dotAll)}`;
	const enclose = (source: string) => (fromStart === true ? `^(?:${source})` : source);
	try {
		return toldAsTemplate(createBoundedRegExp(enclose(translate(body, true)), `${flags}u`));
	} catch (error) {
		if (isSvcError(error)) throw new TemplateError(error.message, { cause: error });
		// Without unicode, what means nothing special may stand for itself, such as a lone brace.
		try {
			return toldAsTemplate(createBoundedRegExp(enclose(translate(body, false)), flags));
		} catch (cause) {
			throw new TemplateError(`the regular expression cannot be read: ${reasonOf(cause)}`);
		}
	}
}

/** The expression, whose searches say as templates do that they were given up. */
function toldAsTemplate(expression: BoundedRegExp): BoundedRegExp {
	const told = <T>(search: () => T): T => {
		try {
			return search();
		} catch (error) {
			if (isSvcError(error)) throw new TemplateError(error.message, { cause: error });
			throw error;
		}
	};
	return {
		test: (text) => told(() => expression.test(text)),
		replace: (text, replacement) => told(() => expression.replace(text, replacement)),
		matches: (text) => told(() => expression.matches(text)),
		occurrences: (text) => told(() => expression.occurrences(text)),
	};
}

/** What is wrong with an expression, without the expression, which may be a secret. */
function reasonOf(error: unknown): string {
	return toErrorMessage(error).split(": ").at(-1) ?? "";
}

const word = "\\p{L}\\p{M}\\p{N}_";
/** Escapes whose meaning goes beyond ASCII in the reference language: outside a set, and inside one. */
const unicodeEscapes: Readonly<Record<string, readonly [outside: string, inside: string | undefined]>> = {
	w: [`[${word}]`, word],
	W: [`[^${word}]`, undefined],
	d: ["\\p{Nd}", "\\p{Nd}"],
	D: ["\\P{Nd}", "\\P{Nd}"],
	b: [`(?:(?<=[${word}])(?![${word}])|(?<![${word}])(?=[${word}]))`, "\\x08"],
	B: [`(?:(?<=[${word}])(?=[${word}])|(?<![${word}])(?![${word}]))`, undefined],
};
const anchors: Readonly<Record<string, string>> = { A: "(?<![^])", Z: "(?![^])", a: "\\x07" };
const spelling = /\\([^])|\(\?P<|\(\?P=(\w+)\)|\(\?#[^)]*\)|\[|\]/gu;

/** The expression as this language writes it. */
function translate(pattern: string, isUnicode: boolean): string {
	let isInSet = false;
	return pattern.replace(spelling, (found: string, escaped: string | undefined, name: string | undefined, offset: number) => {
		if (escaped !== undefined) return translateEscape(escaped, isUnicode, isInSet);
		if (found === "[") {
			if (isInSet) return "\\[";
			isInSet = true;
			return "[";
		}
		if (found === "]") {
			// Right behind the opening bracket it is an element of the set.
			if (isInSet && /\[\^?$/.test(pattern.slice(0, offset))) return "\\]";
			isInSet = false;
			return "]";
		}
		if (isInSet) return found;
		if (name !== undefined) return `\\k<${name}>`;
		return found === "(?P<" ? "(?<" : "";
	});
}

function translateEscape(escaped: string, isUnicode: boolean, isInSet: boolean): string {
	const [outside, inside] = isUnicode && Object.hasOwn(unicodeEscapes, escaped) ? (unicodeEscapes[escaped] ?? []) : [];
	const translated = isInSet ? inside : outside;
	if (translated !== undefined) return translated;
	if (!isInSet && Object.hasOwn(anchors, escaped)) return anchors[escaped] ?? "";
	// With unicode, only what has a meaning may be escaped.
	if (isUnicode && !/[\^$\\.*+?()[\]{}|/\-\p{L}\p{N}]/u.test(escaped)) return escaped;
	return escaped === "-" && !isInSet ? "-" : `\\${escaped}`;
}
