import type { ExpressionLanguage } from "../../contract/index.ts";

/** An expression in a text, or a text around one. */
export type TextPart = { readonly kind: "text"; readonly text: string } | { readonly kind: "expression"; readonly expression: string };

/** What a text is made of. */
export type ReadText =
	/** It holds no expression. */
	| { readonly kind: "plain" }
	/** It holds expressions of both languages, which no text may. */
	| { readonly kind: "mixed" }
	/** It holds so many expressions that they are not even looked for. */
	| { readonly kind: "crowded" }
	/** It holds statements, so that all of it is one template. */
	| { readonly kind: "template" }
	| { readonly kind: "parts"; readonly language: ExpressionLanguage; readonly parts: readonly TextPart[] };

/** Most beginnings of expressions of one kind in a text. */
export const maxExpressions = 5_000;

/** An expression begins and ends on one line. */
const yaql = /<%.*?%>/g;
const statement = /\{%.*?%\}/;

/**
 * Find the expressions in a text. Takes linear time, whatever it holds.
 *
 * @param language where there is one only, what is none of it is text
 */
export function readText(text: string, language?: "jinja"): ReadText {
	if (isCrowded(text, "{{", "}}") || isCrowded(text, "{%", "%}") || (language === undefined && isCrowded(text, "<%", "%>"))) {
		return { kind: "crowded" };
	}
	const ofYaql = language === undefined && text.includes("<%") && text.includes("%>") ? split(text, findYaql(text)) : undefined;
	const ofJinja = text.includes("{{") && text.includes("}}") ? split(text, findJinja(text)) : undefined;
	const hasStatement = text.includes("{%") && text.includes("%}") && hasMatch(text);
	if (ofYaql !== undefined && (ofJinja !== undefined || hasStatement)) return { kind: "mixed" };
	if (hasStatement) return { kind: "template" };
	if (ofYaql !== undefined) return { kind: "parts", language: "yaql", parts: ofYaql };
	return ofJinja === undefined ? { kind: "plain" } : { kind: "parts", language: "jinja", parts: ofJinja };
}

interface Place {
	readonly start: number;
	readonly end: number;
}

function isCrowded(text: string, open: string, close: string): boolean {
	let count = 0;
	for (let start = text.indexOf(open); start >= 0; start = text.indexOf(open, start + open.length)) {
		count += 1;
		if (count > maxExpressions) return text.includes(close);
	}
	return false;
}

function hasMatch(text: string): boolean {
	return lines(text, "{%", "%}").some((line) => statement.test(line.text));
}

function findYaql(text: string): readonly Place[] {
	return lines(text, "<%", "%>").flatMap(({ text: line, start }) =>
		Array.from(line.matchAll(yaql), ({ index, 0: found }) => ({ start: start + index, end: start + index + found.length })),
	);
}

/** Lines that may hold an expression, up to the last place where one may end: what opens behind it would be looked through for nothing. */
function lines(text: string, open: string, close: string): readonly { readonly text: string; readonly start: number }[] {
	const found: { text: string; start: number }[] = [];
	for (let opening = text.indexOf(open); opening >= 0; ) {
		const start = text.lastIndexOf("\n", opening) + 1;
		const next = text.indexOf("\n", opening);
		const line = text.slice(start, next < 0 ? text.length : next);
		const end = line.lastIndexOf(close);
		if (end > 0) found.push({ text: line.slice(0, end + close.length), start });
		opening = next < 0 ? -1 : text.indexOf(open, next);
	}
	return found;
}

function findJinja(text: string): readonly Place[] {
	return lines(text, "{{", "}}").flatMap(({ text: line, start }) =>
		findInLine(line).map((place) => ({ start: start + place.start, end: start + place.end })),
	);
}

function findInLine(line: string): readonly Place[] {
	const places: Place[] = [];
	let readsQuotes = true;
	for (let start = line.indexOf("{{"); start >= 0; start = line.indexOf("{{", places.at(-1)?.end)) {
		const first = line.indexOf("}}", start + 2);
		if (first < 0) return places;
		const end: number | undefined = readsQuotes ? findEnd(line, start + 2) : undefined;
		// What cannot be read is looked through once; the rest of the line is cut at the next braces.
		readsQuotes = end !== undefined;
		places.push({ start, end: end ?? first + 2 });
	}
	return places;
}

/** Behind the braces that close an expression: not those in a text, nor those of an object. */
function findEnd(line: string, start: number): number | undefined {
	let open = 0;
	for (let position = start; position < line.length; position++) {
		const character = line.charAt(position);
		if (character === "'" || character === '"') {
			position = endOfQuotes(line, position, character);
			if (position < 0) return undefined;
		} else if (character === "{") open++;
		else if (character === "}") {
			if (open === 0) return line.charAt(position + 1) === "}" ? position + 2 : undefined;
			open--;
		}
	}
	return undefined;
}

function endOfQuotes(line: string, start: number, quote: string): number {
	for (let position = start + 1; position < line.length; position++) {
		if (line.charAt(position) === "\\") position++;
		else if (line.charAt(position) === quote) return position;
	}
	return -1;
}

/** The text cut at the places; undefined when there is none. */
function split(text: string, places: readonly Place[]): readonly TextPart[] | undefined {
	if (places.length === 0) return undefined;
	const parts: TextPart[] = [];
	let end = 0;
	for (const place of places) {
		if (place.start > end) parts.push({ kind: "text", text: text.slice(end, place.start) });
		parts.push({ kind: "expression", expression: text.slice(place.start, place.end) });
		end = place.end;
	}
	if (end < text.length) parts.push({ kind: "text", text: text.slice(end) });
	return parts;
}
