import { TemplateError, TemplateSyntaxError } from "./errors.ts";
import type { Token } from "./tokens.ts";

/** Tokens of one tag, read from front to back. */
export class TokenReader {
	readonly line: number;
	readonly #tokens: readonly Token[];
	readonly #maximumDepth: number;
	#position = 0;
	#depth = 0;

	constructor(tokens: readonly Token[], line: number, maximumDepth: number) {
		this.#tokens = tokens;
		this.line = line;
		this.#maximumDepth = maximumDepth;
	}

	peek(ahead = 0): Token | undefined {
		return this.#tokens[this.#position + ahead];
	}

	next(): Token {
		const token = this.peek();
		if (token === undefined) throw this.error("the expression ends too early");
		this.#position++;
		return token;
	}

	/** Whether the next token is this operator or word. */
	at(text: string, ahead = 0): boolean {
		return this.peek(ahead)?.text === text;
	}

	/** Take the next token if it is this operator or word. */
	take(text: string): boolean {
		if (!this.at(text)) return false;
		this.#position++;
		return true;
	}

	expect(text: string): void {
		if (!this.take(text)) throw this.error(`"${text}" is missing before ${this.#shown()}`);
	}

	name(): string {
		const token = this.peek();
		if (token?.kind !== "name") throw this.error(`a name is missing before ${this.#shown()}`);
		this.#position++;
		return token.text;
	}

	expectEnd(): void {
		if (this.peek() !== undefined) throw this.error(`unexpected ${this.#shown()}`);
	}

	/** Read something nested; too deep is an error of its own, as no text is meant literally that looks so. */
	nested<T>(read: () => T): T {
		if (++this.#depth > this.#maximumDepth) throw new TemplateError(`the template is nested deeper than ${this.#maximumDepth} levels`);
		const result = read();
		this.#depth--;
		return result;
	}

	error(message: string): TemplateSyntaxError {
		return new TemplateSyntaxError(message, this.line);
	}

	#shown(): string {
		const token = this.peek();
		if (token === undefined) return "the end";
		return token.kind === "string" ? "a text" : `"${token.text}"`;
	}
}
