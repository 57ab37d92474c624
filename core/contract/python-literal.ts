import { isSvcError } from "./errors.ts";
import { type JsonValue, parseInteger } from "./json.ts";

const valueByWord: ReadonlyMap<string, JsonValue> = new Map([
	["True", true],
	["true", true],
	["False", false],
	["false", false],
	["None", null],
	["none", null],
	["null", null],
]);
const escapedCharacters: Readonly<Record<string, string>> = {
	n: "\n",
	t: "\t",
	r: "\r",
	b: "\b",
	f: "\f",
	v: "\v",
	a: "\x07",
	"0": "\0",
	"\n": "",
};
const patterns = {
	number: /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y,
	whole: /^[+-]?\d+$/,
	word: /[A-Za-z]+/y,
	single: /[^'\\\n]+/y,
	double: /[^"\\\n]+/y,
	code: /x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}/y,
} as const;
const maxDepth = 200;
/** Maximum number of characters of a literal. Reading a literal of this length takes up to 100 ms. */
export const maxPythonLiteralLength = 200_000;

/**
 * Returns the value of a literal such as `{'a': [1, True, None]}`, the form in which templates and Python print objects and lists.
 *
 * Returns undefined if the string is anything else, or longer than `maxPythonLiteralLength`.
 */
export function parsePythonLiteral(text: string): JsonValue | undefined {
	if (text.length > maxPythonLiteralLength) return undefined;
	try {
		return new LiteralReader(text).readAll();
	} catch (error) {
		if (error instanceof NotALiteral || isSvcError(error)) return undefined;
		throw error;
	}
}

class NotALiteral extends Error {}

class LiteralReader {
	readonly #text: string;
	#position = 0;
	#depth = 0;

	constructor(text: string) {
		this.#text = text;
	}

	readAll(): JsonValue {
		const value = this.#readValue();
		this.#skipSpace();
		if (this.#position < this.#text.length) throw new NotALiteral();
		return value;
	}

	#readValue(): JsonValue {
		this.#skipSpace();
		const next = this.#text[this.#position];
		if (next === "'" || next === '"') return this.#readString(next);
		if (next === "{") return this.#readNested(() => this.#readObject());
		if (next === "[") return this.#readNested(() => this.#readList("]").items);
		if (next === "(") return this.#readNested(() => this.#readTuple());
		const number = this.#match(patterns.number);
		if (number !== undefined && patterns.whole.test(number)) return parseInteger(number.replace("+", ""));
		if (number !== undefined && Number.isFinite(Number(number))) return Number(number);
		const word = this.#match(patterns.word) ?? "";
		const value = valueByWord.get(word);
		if (value === undefined) throw new NotALiteral();
		return value;
	}

	#readNested<T>(read: () => T): T {
		this.#position += 1;
		this.#depth += 1;
		if (this.#depth > maxDepth) throw new NotALiteral();
		const value = read();
		this.#depth -= 1;
		return value;
	}

	#readObject(): JsonValue {
		const members: [string, JsonValue][] = [];
		while (!this.#take("}")) {
			const key = this.#readValue();
			if (typeof key === "object" || !this.#take(":")) throw new NotALiteral();
			members.push([String(key), this.#readValue()]);
			if (!this.#take(",") && !this.#peek("}")) throw new NotALiteral();
		}
		return Object.fromEntries(members);
	}

	/** Reads a value in parentheses. Without a comma, the result is the value itself instead of a list. */
	#readTuple(): JsonValue {
		const { items, commas } = this.#readList(")");
		const [only] = items;
		return only !== undefined && commas === 0 ? only : items;
	}

	#readList(end: string): { readonly items: JsonValue[]; readonly commas: number } {
		const items: JsonValue[] = [];
		let commas = 0;
		while (!this.#take(end)) {
			items.push(this.#readValue());
			if (this.#take(",")) commas += 1;
			else if (!this.#peek(end)) throw new NotALiteral();
		}
		return { items, commas };
	}

	#readString(quote: string): string {
		let value = "";
		for (this.#position += 1; ; this.#position += 1) {
			value += this.#match(quote === "'" ? patterns.single : patterns.double) ?? "";
			const character = this.#text[this.#position];
			if (character === undefined || character === "\n") throw new NotALiteral();
			if (character === quote) break;
			value += this.#readEscape();
		}
		this.#position += 1;
		return value;
	}

	/** Returns the escaped character. Afterwards, the position is on the last character of the escape sequence. */
	#readEscape(): string {
		this.#position += 1;
		const code = this.#match(patterns.code);
		if (code !== undefined) {
			this.#position -= 1;
			const point = Number.parseInt(code.slice(1), 16);
			if (point > 0x10ffff) throw new NotALiteral();
			return String.fromCodePoint(point);
		}
		const character = this.#text[this.#position];
		if (character === undefined) throw new NotALiteral();
		return escapedCharacters[character] ?? ("\\'\"".includes(character) ? character : `\\${character}`);
	}

	#skipSpace(): void {
		while (isSpace(this.#text.charCodeAt(this.#position))) this.#position += 1;
	}

	#peek(character: string): boolean {
		this.#skipSpace();
		return this.#text[this.#position] === character;
	}

	#take(character: string): boolean {
		if (!this.#peek(character)) return false;
		this.#position += 1;
		return true;
	}

	#match(pattern: RegExp): string | undefined {
		pattern.lastIndex = this.#position;
		const match = pattern.exec(this.#text)?.[0];
		this.#position += match?.length ?? 0;
		return match;
	}
}

function isSpace(code: number): boolean {
	return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}
