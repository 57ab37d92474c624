import { type JsonValue, parseJson } from "../../../core/contract/index.ts";
import { limits } from "./limits.ts";

/** An argument that stands in a text as `name=value`. */
export interface InlineArgument {
	readonly name: string;
	readonly value: JsonValue;
}

/** The arguments that stand in a text. What has another form, such as a word without quotes, is passed over. */
export function parseInlineArguments(text: string): readonly InlineArgument[] {
	return new InlineReader(text).read();
}

/** Returns the names of arguments in quotes whose value ends at an inner quote, so that the rest of what was meant is lost. */
export function findTruncatedArguments(text: string): readonly string[] {
	const reader = new InlineReader(text);
	reader.read();
	return reader.cut;
}

/** Letters, digits and underscores right before the sign are the name. */
const word = /[\p{L}\p{M}\p{N}_]+/uy;
const plainValues = [/-?\d*\.\d+/y, /-?\d+/y, /true|false/iy, /null/y];
/** What opens a value, and what closes it; expressions end in their line. */
const delimiters = [
	{ open: '"', close: '"', isInLine: false },
	{ open: "'", close: "'", isInLine: false },
	{ open: "<%", close: "%>", isInLine: true },
	{ open: "{{", close: "}}", isInLine: true },
] as const;

class InlineReader {
	readonly #text: string;
	/** What opens a value, and how far nothing closes it: a text full of beginnings is looked through once. */
	readonly #unclosed = new Map<string, number>();
	/** Names of arguments whose quoted value something follows without a space. */
	readonly cut: string[] = [];

	constructor(text: string) {
		this.#text = text;
	}

	read(): readonly InlineArgument[] {
		const found: InlineArgument[] = [];
		for (let position = 0; position < this.#text.length; ) {
			const name = this.#match(word, position);
			position += name?.length ?? 1;
			if (name === undefined || this.#text[position] !== "=") continue;
			const written = this.#findValue(position + 1);
			position += 1 + (written?.length ?? 0);
			if (written !== undefined && /^["']/.test(written) && /[^\s,;]/.test(this.#text[position] ?? "")) this.cut.push(name);
			if (written !== undefined) found.push({ name, value: toValue(written) });
		}
		return found;
	}

	#findValue(position: number): string | undefined {
		if (this.#text[position] === "[") return this.#close("[", position, this.#findListEnd(position));
		for (const { open, close, isInLine } of delimiters) {
			if (!this.#text.startsWith(open, position)) continue;
			if (position < (this.#unclosed.get(open) ?? 0)) return undefined;
			const end = this.#text.indexOf(close, position + open.length);
			const isClosed = end >= 0 && !(isInLine && end > this.#lineEnd(position));
			return this.#close(open, position, isClosed ? end + close.length : undefined);
		}
		return plainValues.map((each) => this.#match(each, position)).find((each) => each !== undefined);
	}

	#close(open: string, position: number, end: number | undefined): string | undefined {
		if (end !== undefined) return this.#text.slice(position, end);
		this.#unclosed.set(open, Math.max(this.#lineEnd(position), this.#unclosed.get(open) ?? 0));
		return undefined;
	}

	/** Behind the bracket that closes a list; brackets in quotes do not count. */
	#findListEnd(position: number): number | undefined {
		if (position < (this.#unclosed.get("[") ?? 0)) return undefined;
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

/** Texts in quotes stay text, but for those that hold an object; the rest is what JSON makes of it, or itself. */
function toValue(written: string): JsonValue {
	const isQuoted = /^["']/.test(written);
	const content = isQuoted ? written.slice(1, -1) : written;
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
