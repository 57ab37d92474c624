import { isSvcError } from "./errors.ts";
import { type JsonValue, parseWholeNumber } from "./json.ts";

const words: ReadonlyMap<string, JsonValue> = new Map([
	["True", true],
	["true", true],
	["False", false],
	["false", false],
	["None", null],
	["none", null],
	["null", null],
]);
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", a: "\x07", "0": "\0", "\n": "" };
const patterns = {
	number: /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y,
	whole: /^[+-]?\d+$/,
	word: /[A-Za-z]+/y,
	single: /[^'\\\n]+/y,
	double: /[^"\\\n]+/y,
	code: /x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}/y,
} as const;
const maximumDepth = 200;
/** Most characters of a literal: reading that many takes up to 100 ms. */
export const maxPythonLiteral = 200_000;

/**
 * The value of a text such as `{'a': [1, True, None]}`, as templates and Python print objects and lists. Undefined when the text is
 * anything else, or longer than `maxPythonLiteral`.
 */
export function parsePythonLiteral(text: string): JsonValue | undefined {
	if (text.length > maxPythonLiteral) return undefined;
	try {
		return new LiteralReader(text).readAll();
	} catch (error) {
		if (error instanceof NoLiteral || isSvcError(error)) return undefined;
		throw error;
	}
}

class NoLiteral extends Error {}

class LiteralReader {
	readonly #text: string;
	#position = 0;
	#depth = 0;

	constructor(text: string) {
		this.#text = text;
	}

	readAll(): JsonValue {
		const value = this.#value();
		this.#space();
		if (this.#position < this.#text.length) throw new NoLiteral();
		return value;
	}

	#value(): JsonValue {
		this.#space();
		const next = this.#text[this.#position];
		if (next === "'" || next === '"') return this.#string(next);
		if (next === "{") return this.#nested(() => this.#object());
		if (next === "[") return this.#nested(() => this.#list("]").items);
		if (next === "(") return this.#nested(() => this.#tuple());
		const number = this.#match(patterns.number);
		if (number !== undefined && patterns.whole.test(number)) return parseWholeNumber(number.replace("+", ""));
		if (number !== undefined && Number.isFinite(Number(number))) return Number(number);
		const word = this.#match(patterns.word) ?? "";
		const known = words.get(word);
		if (known === undefined) throw new NoLiteral();
		return known;
	}

	#nested<T>(read: () => T): T {
		this.#position += 1;
		this.#depth += 1;
		if (this.#depth > maximumDepth) throw new NoLiteral();
		const value = read();
		this.#depth -= 1;
		return value;
	}

	#object(): JsonValue {
		const members: [string, JsonValue][] = [];
		while (!this.#take("}")) {
			const key = this.#value();
			if (typeof key === "object" || !this.#take(":")) throw new NoLiteral();
			members.push([String(key), this.#value()]);
			if (!this.#take(",") && !this.#peek("}")) throw new NoLiteral();
		}
		return Object.fromEntries(members);
	}

	/** A value in parentheses without a comma is that value, and no list of it. */
	#tuple(): JsonValue {
		const { items, commas } = this.#list(")");
		const [only] = items;
		return only !== undefined && commas === 0 ? only : items;
	}

	#list(end: string): { readonly items: JsonValue[]; readonly commas: number } {
		const items: JsonValue[] = [];
		let commas = 0;
		while (!this.#take(end)) {
			items.push(this.#value());
			if (this.#take(",")) commas += 1;
			else if (!this.#peek(end)) throw new NoLiteral();
		}
		return { items, commas };
	}

	#string(quote: string): string {
		let value = "";
		for (this.#position += 1; ; this.#position += 1) {
			value += this.#match(quote === "'" ? patterns.single : patterns.double) ?? "";
			const character = this.#text[this.#position];
			if (character === undefined || character === "\n") throw new NoLiteral();
			if (character === quote) break;
			value += this.#escape();
		}
		this.#position += 1;
		return value;
	}

	/** The escaped character; afterwards the position is on the last character of the escape. */
	#escape(): string {
		this.#position += 1;
		const code = this.#match(patterns.code);
		if (code !== undefined) {
			this.#position -= 1;
			const point = Number.parseInt(code.slice(1), 16);
			if (point > 0x10ffff) throw new NoLiteral();
			return String.fromCodePoint(point);
		}
		const character = this.#text[this.#position];
		if (character === undefined) throw new NoLiteral();
		return escapes[character] ?? ("\\'\"".includes(character) ? character : `\\${character}`);
	}

	#space(): void {
		while (isSpace(this.#text.charCodeAt(this.#position))) this.#position += 1;
	}

	#peek(character: string): boolean {
		this.#space();
		return this.#text[this.#position] === character;
	}

	#take(character: string): boolean {
		if (!this.#peek(character)) return false;
		this.#position += 1;
		return true;
	}

	#match(pattern: RegExp): string | undefined {
		pattern.lastIndex = this.#position;
		const found = pattern.exec(this.#text)?.[0];
		this.#position += found?.length ?? 0;
		return found;
	}
}

function isSpace(code: number): boolean {
	return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}
