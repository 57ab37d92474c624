import type { ExpressionLanguage } from "../../contract/index.ts";

/** Expression in a string, or literal text before, between or after expressions. */
export type TextPart = { readonly kind: "text"; readonly text: string } | { readonly kind: "expression"; readonly expression: string };

/** Result of scanning a string for expressions. */
export type ScannedText =
	/** The string contains no expression. */
	| { readonly kind: "plain" }
	/** The string mixes both languages, which is not allowed. */
	| { readonly kind: "mixed" }
	/** The string contains more than `maxExpressions` opening delimiters of one kind, so it is not scanned. */
	| { readonly kind: "crowded" }
	/** The parts of the string. A string with statements is one expression as a whole: a template. */
	| { readonly kind: "parts"; readonly language: ExpressionLanguage; readonly parts: readonly TextPart[] };

/** Maximum number of opening delimiters of one kind in a string. */
export const maxExpressions = 5_000;

/** An expression begins and ends on the same line. */
const yaqlPattern = /<%.*?%>/g;
const statementPattern = /\{%.*?%\}/;

/**
 * Finds the expressions in a string. Takes linear time for any string.
 *
 * @param language the only language whose expressions are recognized; default: both languages
 */
export function scanText(text: string, language?: "jinja"): ScannedText {
	if (
		hasTooManyOpenings(text, "{{", "}}") ||
		hasTooManyOpenings(text, "{%", "%}") ||
		(language === undefined && hasTooManyOpenings(text, "<%", "%>"))
	) {
		return { kind: "crowded" };
	}
	const yaqlParts = language === undefined && text.includes("<%") && text.includes("%>") ? splitAtSpans(text, findYaql(text)) : undefined;
	const jinjaParts = text.includes("{{") && text.includes("}}") ? splitAtSpans(text, findJinja(text)) : undefined;
	const hasStatement = text.includes("{%") && text.includes("%}") && containsStatement(text);
	if (yaqlParts !== undefined && (jinjaParts !== undefined || hasStatement)) return { kind: "mixed" };
	if (hasStatement) return { kind: "parts", language: "jinja", parts: [{ kind: "expression", expression: text }] };
	if (yaqlParts !== undefined) return { kind: "parts", language: "yaql", parts: yaqlParts };
	return jinjaParts === undefined ? { kind: "plain" } : { kind: "parts", language: "jinja", parts: jinjaParts };
}

interface TextSpan {
	readonly start: number;
	readonly end: number;
}

function hasTooManyOpenings(text: string, open: string, close: string): boolean {
	let count = 0;
	for (let start = text.indexOf(open); start >= 0; start = text.indexOf(open, start + open.length)) {
		count += 1;
		if (count > maxExpressions) return text.includes(close);
	}
	return false;
}

function containsStatement(text: string): boolean {
	return candidateLines(text, "{%", "%}").some((line) => statementPattern.test(line.text));
}

function findYaql(text: string): readonly TextSpan[] {
	return candidateLines(text, "<%", "%>").flatMap(({ text: line, start }) =>
		Array.from(line.matchAll(yaqlPattern), ({ index, 0: match }) => ({ start: start + index, end: start + index + match.length })),
	);
}

/**
 * Returns the lines that may contain an expression, each up to its last closing delimiter. An opening delimiter after that position cannot
 * be closed on the line, and searching for its end would be wasted.
 */
function candidateLines(text: string, open: string, close: string): readonly { readonly text: string; readonly start: number }[] {
	const candidates: { text: string; start: number }[] = [];
	for (let opening = text.indexOf(open); opening >= 0; ) {
		const start = text.lastIndexOf("\n", opening) + 1;
		const next = text.indexOf("\n", opening);
		const line = text.slice(start, next < 0 ? text.length : next);
		const end = line.lastIndexOf(close);
		if (end > 0) candidates.push({ text: line.slice(0, end + close.length), start });
		opening = next < 0 ? -1 : text.indexOf(open, next);
	}
	return candidates;
}

function findJinja(text: string): readonly TextSpan[] {
	return candidateLines(text, "{{", "}}").flatMap(({ text: line, start }) =>
		findInLine(line).map((span) => ({ start: start + span.start, end: start + span.end })),
	);
}

function findInLine(line: string): readonly TextSpan[] {
	const spans: TextSpan[] = [];
	let shouldRespectQuotes = true;
	for (let start = line.indexOf("{{"); start >= 0; start = line.indexOf("{{", spans.at(-1)?.end)) {
		const first = line.indexOf("}}", start + 2);
		if (first < 0) return spans;
		const end: number | undefined = shouldRespectQuotes ? findEnd(line, start + 2) : undefined;
		// A search that respects quotes fails at most once in a line. The rest of the line is then cut at the next closing braces.
		shouldRespectQuotes = end !== undefined;
		spans.push({ start, end: end ?? first + 2 });
	}
	return spans;
}

/**
 * Returns the position after the braces that close an expression. Braces inside quotes, and balanced braces of objects, do not close it.
 * Returns undefined if the expression is not closed.
 */
function findEnd(line: string, start: number): number | undefined {
	let openBraces = 0;
	for (let position = start; position < line.length; position++) {
		const character = line.charAt(position);
		if (character === "'" || character === '"') {
			position = findClosingQuote(line, position, character);
			if (position < 0) return undefined;
		} else if (character === "{") openBraces++;
		else if (character === "}") {
			if (openBraces === 0) return line.charAt(position + 1) === "}" ? position + 2 : undefined;
			openBraces--;
		}
	}
	return undefined;
}

function findClosingQuote(line: string, start: number, quote: string): number {
	for (let position = start + 1; position < line.length; position++) {
		if (line.charAt(position) === "\\") position++;
		else if (line.charAt(position) === quote) return position;
	}
	return -1;
}

/** Splits a string at the spans of its expressions. Returns undefined if there are no spans. */
function splitAtSpans(text: string, spans: readonly TextSpan[]): readonly TextPart[] | undefined {
	if (spans.length === 0) return undefined;
	const parts: TextPart[] = [];
	let end = 0;
	for (const span of spans) {
		if (span.start > end) parts.push({ kind: "text", text: text.slice(end, span.start) });
		parts.push({ kind: "expression", expression: text.slice(span.start, span.end) });
		end = span.end;
	}
	if (end < text.length) parts.push({ kind: "text", text: text.slice(end) });
	return parts;
}
