import type { Budget } from "./budget.ts";
import { toPythonText } from "./python-text.ts";
import type { Value } from "./values.ts";

/** Returns the string with its first letter in upper case and the others in lower case. */
export function capitalize(text: string): string {
	return text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();
}

/**
 * Replaces the first `count` occurrences of a substring, or all of them if `count` is negative. Accounts for the result before creating it.
 */
export function replace(
	text: string,
	search: string,
	replacement: string,
	options: { readonly count: number; readonly budget: Budget },
): string {
	const { count, budget } = options;
	budget.spendText(text.length);
	const parts = search === "" ? ["", ...text, ""] : text.split(search);
	const times = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1);
	budget.spendText(text.length + times * Math.max(0, replacement.length - search.length));
	return (
		parts.slice(0, times + 1).join(replacement) +
		parts
			.slice(times + 1)
			.map((part) => search + part)
			.join("")
	);
}

/** Pads a number with zeros after its sign. */
export function fillWithZeros(text: string, width: number): string {
	const sign = /^[+-]/.test(text) ? text.charAt(0) : "";
	return sign + text.slice(sign.length).padStart(width - sign.length, "0");
}

/** Splits a string at a separator, or at white space if the separator is null. */
export function splitText(text: string, separator: string | null): readonly string[] {
	return separator === null ? text.split(/\s+/).filter((word) => word !== "") : text.split(separator);
}

/** Returns the parts of `splitText`, with all after the first `limit` as one part, as Python does. A negative limit keeps all parts. */
export function limitParts(
	parts: readonly string[],
	limit: number,
	{ text, separator }: { readonly text: string; readonly separator: string | null },
): readonly string[] {
	if (limit < 0 || parts.length <= limit + 1) return parts;
	const firstParts = parts.slice(0, limit);
	if (separator !== null) return [...firstParts, parts.slice(limit).join(separator)];
	let rest = text.trimStart();
	for (const word of firstParts) rest = rest.slice(word.length).trimStart();
	return [...firstParts, rest];
}

/** Joins values as strings. Accounts for the result before creating it. */
export function joinTexts(values: readonly Value[], separator: string, budget: Budget): string {
	const texts = values.map((value) => toPythonText(value, budget));
	budget.spendText(texts.reduce((sum, text) => sum + text.length + separator.length, 0));
	return texts.join(separator);
}

/** Removes any of `characters`, by default white space, from the ends of a string. */
export function strip(text: string, characters: string | undefined, side: "both" | "start" | "end" = "both"): string {
	const isRemovable = (character: string | undefined) =>
		character !== undefined && (characters === undefined ? /\s/.test(character) : characters.includes(character));
	let start = 0;
	let end = text.length;
	if (side !== "end") while (start < end && isRemovable(text[start])) start++;
	if (side !== "start") while (end > start && isRemovable(text[end - 1])) end--;
	return text.slice(start, end);
}

/** Returns the string as one word of a POSIX shell. */
export function shellQuote(text: string): string {
	if (/^[\w@%+=:,./-]+$/.test(text)) return text;
	return `'${text.replaceAll("'", "'\\''")}'`;
}

const markupEntities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;" };

/** Escapes a string for HTML or XML. */
export function escapeMarkup(text: string): string {
	return text.replace(/[&<>'"]/g, (character) => markupEntities[character] ?? character);
}
