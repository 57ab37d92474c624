import type { JsonValue } from "../../core/contract/index.ts";

const words: ReadonlyMap<string, JsonValue> = new Map([
	["True", true],
	["true", true],
	["False", false],
	["false", false],
	["None", null],
	["null", null],
]);
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", a: "\x07", "0": "\0", "\n": "" };
const maximumDepth = 200;

/**
 * The value of a text such as `{'a': [1, True, None]}`: how a template prints objects and lists. Undefined when it is none.
 */
export function parsePythonLiteral(text: string): JsonValue | undefined {
	try {
		return new LiteralReader(text).readAll();
	} catch (error) {
		if (error instanceof NoLiteral) return undefined;
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
		if (next === "[") return this.#nested(() => this.#list("]"));
		if (next === "(") return this.#nested(() => this.#list(")"));
		const number = this.#match(/[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y);
		if (number !== undefined && Number.isFinite(Number(number))) return Number(number);
		const word = this.#match(/[A-Za-z]+/y) ?? "";
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

	#list(end: string): JsonValue {
		const items: JsonValue[] = [];
		while (!this.#take(end)) {
			items.push(this.#value());
			if (!this.#take(",") && !this.#peek(end)) throw new NoLiteral();
		}
		return items;
	}

	#string(quote: string): string {
		let value = "";
		for (this.#position += 1; ; this.#position += 1) {
			const character = this.#text[this.#position];
			if (character === undefined || character === "\n") throw new NoLiteral();
			if (character === quote) break;
			value += character === "\\" ? this.#escape() : character;
		}
		this.#position += 1;
		return value;
	}

	/** The escaped character; afterwards the position is on the last character of the escape. */
	#escape(): string {
		this.#position += 1;
		const code = this.#match(/x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}/y);
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
		this.#match(/\s+/y);
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
