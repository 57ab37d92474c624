import { TemplateError, TemplateSyntaxError } from "./errors.ts";
import type { Token } from "./tokens.ts";

/** Reads the tokens of one tag from front to back. */
export class TokenReader {
	readonly line: number;
	readonly #tokens: readonly Token[];
	readonly #maxDepth: number;
	#position = 0;
	#depth = 0;

	constructor(tokens: readonly Token[], line: number, maximumDepth: number) {
		this.#tokens = tokens;
		this.line = line;
		this.#maxDepth = maximumDepth;
	}

	/** Returns a token without taking it; undefined after the last one. */
	peek(ahead = 0): Token | undefined {
		return this.#tokens[this.#position + ahead];
	}

	/** Takes the next token. Throws `TemplateSyntaxError` if there is none. */
	next(): Token {
		const token = this.peek();
		if (token === undefined) throw this.error("the expression ends too early");
		this.#position++;
		return token;
	}

	/** Returns true if the next token is this operator or word. */
	isNext(text: string, ahead = 0): boolean {
		return this.peek(ahead)?.text === text;
	}

	/** Takes the next token if it is this operator or word, and returns true in that case. */
	take(text: string): boolean {
		if (!this.isNext(text)) return false;
		this.#position++;
		return true;
	}

	/** Takes the next token, which must be this operator or word. Throws `TemplateSyntaxError` otherwise. */
	expect(text: string): void {
		if (!this.take(text)) throw this.error(`"${text}" is missing before ${this.#describeNext()}`);
	}

	/** Takes the next token and returns its string. Throws `TemplateSyntaxError` if it is not a name. */
	takeName(): string {
		const token = this.peek();
		if (token?.kind !== "name") throw this.error(`a name is missing before ${this.#describeNext()}`);
		this.#position++;
		return token.text;
	}

	/** Throws `TemplateSyntaxError` if there are more tokens. */
	expectEnd(): void {
		if (this.peek() !== undefined) throw this.error(`unexpected ${this.#describeNext()}`);
	}

	/**
	 * Reads a nested expression. Throws `TemplateError` if it is too deep. This is not a syntax error, because a string meant literally is
	 * never nested so deeply.
	 */
	readNested<T>(read: () => T): T {
		if (++this.#depth > this.#maxDepth) throw new TemplateError(`the template is nested deeper than ${this.#maxDepth} levels`);
		const result = read();
		this.#depth--;
		return result;
	}

	error(message: string): TemplateSyntaxError {
		return new TemplateSyntaxError(message, this.line);
	}

	#describeNext(): string {
		const token = this.peek();
		if (token === undefined) return "the end";
		return token.kind === "string" ? "a string" : `"${token.text}"`;
	}
}
