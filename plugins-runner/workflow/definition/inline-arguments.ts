import { type JsonValue, parseJson } from "../../../core/contract/index.ts";
import { limits } from "./limits.ts";

/** Argument in a string, written as `name=value`. */
export interface InlineArgument {
	readonly name: string;
	readonly value: JsonValue;
}

/** Returns the arguments in a string. Anything else, such as a word without quotes, is skipped. */
export function parseInlineArguments(text: string): readonly InlineArgument[] {
	return new InlineReader(text).read();
}

/** Returns the names of arguments in quotes whose value ends at an inner quote, so that the rest of the intended value is lost. */
export function findTruncatedArguments(text: string): readonly string[] {
	const reader = new InlineReader(text);
	reader.read();
	return reader.truncatedNames;
}

/** Name of an argument: the letters, digits and underscores directly before the `=`. */
const namePattern = /[\p{L}\p{M}\p{N}_]+/uy;
const plainValuePatterns = [/-?\d*\.\d+/y, /-?\d+/y, /true|false/iy, /null/y];
/** Delimiters of values. Expressions must end in the same line. */
const delimiters = [
	{ open: '"', close: '"', isInLine: false },
	{ open: "'", close: "'", isInLine: false },
	{ open: "<%", close: "%>", isInLine: true },
	{ open: "{{", close: "}}", isInLine: true },
] as const;

class InlineReader {
	readonly #text: string;
	/** Position up to which an opening delimiter has no closing one, so that a string with many of them is searched only once. */
	readonly #unclosedUntil = new Map<string, number>();
	/** Names of arguments whose quoted value is followed by a character other than a separator. */
	readonly truncatedNames: string[] = [];

	constructor(text: string) {
		this.#text = text;
	}

	read(): readonly InlineArgument[] {
		const inlineArguments: InlineArgument[] = [];
		for (let position = 0; position < this.#text.length; ) {
			const name = this.#match(namePattern, position);
			position += name?.length ?? 1;
			if (name === undefined || this.#text[position] !== "=") continue;
			const valueText = this.#findValue(position + 1);
			position += 1 + (valueText?.length ?? 0);
			if (valueText !== undefined && /^["']/.test(valueText) && /[^\s,;]/.test(this.#text[position] ?? "")) this.truncatedNames.push(name);
			if (valueText !== undefined) inlineArguments.push({ name, value: toValue(valueText) });
		}
		return inlineArguments;
	}

	#findValue(position: number): string | undefined {
		if (this.#text[position] === "[") return this.#sliceOrMarkUnclosed("[", position, this.#findListEnd(position));
		for (const { open, close, isInLine } of delimiters) {
			if (!this.#text.startsWith(open, position)) continue;
			if (position < (this.#unclosedUntil.get(open) ?? 0)) return undefined;
			const end = this.#text.indexOf(close, position + open.length);
			const isClosed = end >= 0 && !(isInLine && end > this.#lineEnd(position));
			return this.#sliceOrMarkUnclosed(open, position, isClosed ? end + close.length : undefined);
		}
		return plainValuePatterns.map((each) => this.#match(each, position)).find((each) => each !== undefined);
	}

	#sliceOrMarkUnclosed(open: string, position: number, end: number | undefined): string | undefined {
		if (end !== undefined) return this.#text.slice(position, end);
		this.#unclosedUntil.set(open, Math.max(this.#lineEnd(position), this.#unclosedUntil.get(open) ?? 0));
		return undefined;
	}

	/** Returns the position after the bracket that closes a list. Brackets in quotes do not count. */
	#findListEnd(position: number): number | undefined {
		if (position < (this.#unclosedUntil.get("[") ?? 0)) return undefined;
		let depth = 0;
		let isQuoted = false;
		for (let index = position; index < this.#text.length && this.#text[index] !== "\n"; index++) {
			const character = this.#text[index];
			if (isQuoted && character === "\\") index++;
			else if (character === '"') isQuoted = !isQuoted;
			else if (!isQuoted && character === "[") depth++;
			else if (!isQuoted && character === "]" && --depth === 0) return index + 1;
		}
		return undefined;
	}

	#lineEnd(position: number): number {
		const end = this.#text.indexOf("\n", position);
		return end < 0 ? this.#text.length : end;
	}

	#match(expression: RegExp, position: number): string | undefined {
		expression.lastIndex = position;
		return expression.exec(this.#text)?.[0];
	}
}

/**
 * Converts a value. A quoted value remains a string, unless it contains an object. Any other value is parsed as JSON, or remains a string
 * if that fails.
 */
function toValue(valueText: string): JsonValue {
	const isQuoted = /^["']/.test(valueText);
	const content = isQuoted ? valueText.slice(1, -1) : valueText;
	if (isQuoted && !(content.startsWith("{") && content.endsWith("}"))) return content;
	if (findDepth(content) > limits.depth) return content;
	const text = /^(?:true|false)$/i.test(content) ? content.toLowerCase() : content.replace(/^(-?)\./, "$10.");
	try {
		return parseJson(text);
	} catch {
		return content;
	}
}

function findDepth(text: string): number {
	let [depth, deepest] = [0, 0];
	for (const character of text) {
		if (character === "[" || character === "{") deepest = Math.max(deepest, ++depth);
		else if (character === "]" || character === "}") depth--;
	}
	return deepest;
}
