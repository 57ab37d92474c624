import { TemplateError } from "../templates/errors.ts";
import { YaqlSyntaxError } from "./errors.ts";
import { readTokens, type Token, wordOperators } from "./lexer.ts";
import type { ArgumentExpressions, ChainOperator, Expression } from "./syntax.ts";

/** Longest row of members, calls and indexes behind one value. */
const longestRow = 100;

/** Operators that bind equally, from loose to tight; those above the first are read by methods of their own. */
const levels: readonly (readonly ChainOperator[])[] = [
	["<", ">", "<=", ">=", "=", "!=", "in"],
	["+", "-"],
	["*", "/", "mod"],
	["=~", "!~"],
];

/** The expression that a text is. `YaqlSyntaxError` when it is none, `TemplateError` when it is nested too deeply. */
export function parseYaql(source: string, maximumDepth: number): Expression {
	return new Parser(source, maximumDepth).parse();
}

class Parser {
	readonly #source: string;
	readonly #tokens: readonly Token[];
	readonly #maximumDepth: number;
	#position = 0;
	#depth = 0;

	constructor(source: string, maximumDepth: number) {
		this.#source = source;
		this.#tokens = readTokens(source);
		this.#maximumDepth = maximumDepth;
	}

	parse(): Expression {
		const expression = this.#expression();
		if (this.#token.kind !== "end") throw this.#unexpected();
		return expression;
	}

	get #token(): Token {
		return this.#tokens[this.#position] as Token;
	}

	/** From loose to tight: `->`, or, and, not, comparison, sum, product, match, sign, members. */
	#expression(): Expression {
		return this.#nested(() => {
			const left = this.#logical("or", () => this.#logical("and", () => this.#not()));
			return this.#take("->") ? { kind: "arrow", left, right: this.#expression() } : left;
		});
	}

	#logical(word: "and" | "or", readOperand: () => Expression): Expression {
		const first = readOperand();
		if (!this.#at(word)) return first;
		const operands = [first];
		while (this.#take(word)) operands.push(readOperand());
		return { kind: word, operands };
	}

	#not(): Expression {
		if (!this.#take("not")) return this.#chain(0);
		return { kind: "not", operand: this.#nested(() => this.#not()) };
	}

	#chain(level: number): Expression {
		const operators = levels[level];
		if (operators === undefined) return this.#sign();
		const readOperand = () => (this.#at("not") ? this.#not() : this.#chain(level + 1));
		const first = this.#chain(level + 1);
		const rest: [ChainOperator, Expression][] = [];
		for (;;) {
			const operator = operators.find((candidate) => this.#take(candidate));
			if (operator === undefined) return rest.length === 0 ? first : { kind: "chain", first, rest };
			rest.push([operator, readOperand()]);
		}
	}

	#sign(): Expression {
		for (const operator of ["-", "+"] as const) {
			if (this.#take(operator)) return { kind: "sign", operator, operand: this.#nested(() => this.#sign()) };
		}
		return this.#members(this.#primary());
	}

	#members(start: Expression): Expression {
		let result = start;
		for (let count = 0; ; count++) {
			if (count > longestRow) throw new TemplateError(`the expression has more than ${longestRow} members in a row`);
			if (this.#take(".")) result = this.#member(result, false);
			else if (this.#take("?.")) result = this.#member(result, true);
			else if (this.#take("[")) result = { kind: "index", object: result, arguments: this.#arguments("]") };
			else return result;
		}
	}

	#member(object: Expression, isSafe: boolean): Expression {
		const token = this.#token;
		if (token.kind !== "word" && token.kind !== "call") throw this.#unexpected();
		this.#position++;
		// A word that is an operator elsewhere: its parenthesis is a token of its own.
		const isCall = token.kind === "call" || (wordOperators.has(token.text) && this.#take("("));
		if (!isCall) return { kind: "property", object, name: token.text, isSafe };
		return { kind: "method", object, name: token.text, arguments: this.#arguments(")"), isSafe };
	}

	#primary(): Expression {
		const token = this.#token;
		if (token.kind === "end" || (token.kind === "word" && wordOperators.has(token.text))) throw this.#unexpected();
		this.#position++;
		switch (token.kind) {
			case "text":
			case "integer":
				return { kind: "constant", value: token.value };
			case "float":
				return { kind: "constant", value: token.value, isFloat: true };
			case "variable":
				return { kind: "variable", name: token.text };
			case "call":
				return { kind: "call", name: token.text, arguments: this.#arguments(")") };
			case "word":
				return toWord(token.text);
		}
		if (token.text === "(") {
			const inner = this.#expression();
			this.#expect(")");
			return inner;
		}
		if (token.text === "[") return this.#list();
		if (token.text === "{") return this.#object();
		this.#position--;
		throw this.#unexpected();
	}

	#list(): Expression {
		const { positional, named } = this.#arguments("]");
		if (named.length > 0) throw this.#error("a list has no names");
		return { kind: "list", items: positional };
	}

	#object(): Expression {
		const { positional, named } = this.#arguments("}");
		if (positional.length > 0) throw this.#error("every value of an object needs a key");
		return { kind: "object", entries: named };
	}

	#arguments(close: string): ArgumentExpressions {
		const positional: Expression[] = [];
		const named: [Expression, Expression][] = [];
		if (this.#take(close)) return { positional, named };
		for (;;) {
			const value = this.#expression();
			if (this.#take("=>")) named.push([value, this.#expression()]);
			else if (named.length > 0) throw this.#unexpected();
			else positional.push(value);
			if (this.#take(close)) return { positional, named };
			this.#expect(",");
		}
	}

	#at(text: string): boolean {
		const { kind, text: found } = this.#token;
		return found === text && (kind === "operator" || kind === "word");
	}

	#take(text: string): boolean {
		if (!this.#at(text)) return false;
		this.#position++;
		return true;
	}

	#expect(text: string): void {
		if (!this.#take(text)) throw this.#unexpected();
	}

	#nested<T>(read: () => T): T {
		if (++this.#depth > this.#maximumDepth) throw new TemplateError(`the expression is nested deeper than ${this.#maximumDepth} levels`);
		const result = read();
		this.#depth--;
		return result;
	}

	#unexpected(): YaqlSyntaxError {
		const { kind, text, position } = this.#token;
		if (kind === "end") return this.#error("unexpected end of statement");
		const shown = kind === "text" ? "a text" : `'${text}'`;
		return this.#error(`unexpected ${shown} at position ${position} of expression '${this.#source.slice(0, 1_000)}'`);
	}

	#error(message: string): YaqlSyntaxError {
		return new YaqlSyntaxError("YaqlGrammarException", `Parse error: ${message}`);
	}
}

function toWord(text: string): Expression {
	if (text === "null") return { kind: "constant", value: null };
	return text === "true" || text === "false" ? { kind: "constant", value: text === "true" } : { kind: "word", text };
}
