import { TemplateError } from "../templates/errors.ts";
import { YaqlSyntaxError } from "./errors.ts";
import { readTokens, type Token, wordOperators } from "./lexer.ts";
import type { ArgumentExpressions, ChainOperator, Expression } from "./syntax.ts";

/** Maximum number of members, calls and indexes that may follow one value. */
const maxChainLength = 100;

/** Binary operators by precedence, from loose to tight; operators of one level bind equally. Looser operators have methods of their own. */
const operatorLevels: readonly (readonly ChainOperator[])[] = [
	["<", ">", "<=", ">=", "=", "!=", "in"],
	["+", "-"],
	["*", "/", "mod"],
	["=~", "!~"],
];

/**
 * Parses an expression. Throws `YaqlSyntaxError` if it is not valid, and `TemplateError` if it is nested too deeply or has too many tokens.
 */
export function parseYaql(source: string, maximumDepth: number): Expression {
	return new Parser(source, maximumDepth).parse();
}

class Parser {
	readonly #source: string;
	readonly #tokens: readonly Token[];
	readonly #maxDepth: number;
	#position = 0;
	#depth = 0;

	constructor(source: string, maximumDepth: number) {
		this.#source = source;
		this.#tokens = readTokens(source);
		this.#maxDepth = maximumDepth;
	}

	parse(): Expression {
		const expression = this.#parseExpression();
		if (this.#token.kind !== "end") throw this.#unexpected();
		return expression;
	}

	get #token(): Token {
		return this.#tokens[this.#position] as Token;
	}

	/** Parses an expression, from loose to tight: `->`, or, and, not, comparison, sum, product, match, sign, members. */
	#parseExpression(): Expression {
		return this.#withDepth(() => {
			const left = this.#parseLogical("or", () => this.#parseLogical("and", () => this.#parseNot()));
			return this.#take("->") ? { kind: "arrow", left, right: this.#parseExpression() } : left;
		});
	}

	#parseLogical(word: "and" | "or", readOperand: () => Expression): Expression {
		const first = readOperand();
		if (!this.#isNext(word)) return first;
		const operands = [first];
		while (this.#take(word)) operands.push(readOperand());
		return { kind: word, operands };
	}

	#parseNot(): Expression {
		if (!this.#take("not")) return this.#parseChain(0);
		return { kind: "not", operand: this.#withDepth(() => this.#parseNot()) };
	}

	#parseChain(level: number): Expression {
		const operators = operatorLevels[level];
		if (operators === undefined) return this.#parseSign();
		const readOperand = () => (this.#isNext("not") ? this.#parseNot() : this.#parseChain(level + 1));
		const first = this.#parseChain(level + 1);
		const rest: [ChainOperator, Expression][] = [];
		for (;;) {
			const operator = operators.find((candidate) => this.#take(candidate));
			if (operator === undefined) return rest.length === 0 ? first : { kind: "chain", first, rest };
			rest.push([operator, readOperand()]);
		}
	}

	#parseSign(): Expression {
		for (const operator of ["-", "+"] as const) {
			if (this.#take(operator)) return { kind: "sign", operator, operand: this.#withDepth(() => this.#parseSign()) };
		}
		return this.#parseMembers(this.#parsePrimary());
	}

	#parseMembers(start: Expression): Expression {
		let result = start;
		for (let count = 0; ; count++) {
			if (count > maxChainLength) throw new TemplateError(`the expression has more than ${maxChainLength} members in a row`);
			if (this.#take(".")) result = this.#parseMember(result, false);
			else if (this.#take("?.")) result = this.#parseMember(result, true);
			else if (this.#take("[")) result = { kind: "index", object: result, arguments: this.#parseArguments("]") };
			else return result;
		}
	}

	#parseMember(object: Expression, isSafe: boolean): Expression {
		const token = this.#token;
		if (token.kind !== "word" && token.kind !== "call") throw this.#unexpected();
		this.#position++;
		// A word operator after a dot can be the name of a method. Its parenthesis is then a separate token.
		const isCall = token.kind === "call" || (wordOperators.has(token.text) && this.#take("("));
		if (!isCall) return { kind: "property", object, name: token.text, isSafe };
		return { kind: "method", object, name: token.text, arguments: this.#parseArguments(")"), isSafe };
	}

	#parsePrimary(): Expression {
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
				return { kind: "call", name: token.text, arguments: this.#parseArguments(")") };
			case "word":
				return toWord(token.text);
		}
		if (token.text === "(") {
			const expression = this.#parseExpression();
			this.#expect(")");
			return expression;
		}
		if (token.text === "[") return this.#parseList();
		if (token.text === "{") return this.#parseObject();
		this.#position--;
		throw this.#unexpected();
	}

	#parseList(): Expression {
		const { positional, named } = this.#parseArguments("]");
		if (named.length > 0) throw this.#error("a list cannot have keys");
		return { kind: "list", items: positional };
	}

	#parseObject(): Expression {
		const { positional, named } = this.#parseArguments("}");
		if (positional.length > 0) throw this.#error("every value of an object needs a key");
		return { kind: "object", entries: named };
	}

	#parseArguments(close: string): ArgumentExpressions {
		const positional: Expression[] = [];
		const named: [Expression, Expression][] = [];
		if (this.#take(close)) return { positional, named };
		for (;;) {
			const value = this.#parseExpression();
			if (this.#take("=>")) named.push([value, this.#parseExpression()]);
			else if (named.length > 0) throw this.#unexpected();
			else positional.push(value);
			if (this.#take(close)) return { positional, named };
			this.#expect(",");
		}
	}

	#isNext(text: string): boolean {
		const { kind, text: tokenText } = this.#token;
		return tokenText === text && (kind === "operator" || kind === "word");
	}

	#take(text: string): boolean {
		if (!this.#isNext(text)) return false;
		this.#position++;
		return true;
	}

	#expect(text: string): void {
		if (!this.#take(text)) throw this.#unexpected();
	}

	#withDepth<T>(read: () => T): T {
		if (++this.#depth > this.#maxDepth) throw new TemplateError(`the expression is nested deeper than ${this.#maxDepth} levels`);
		const result = read();
		this.#depth--;
		return result;
	}

	#unexpected(): YaqlSyntaxError {
		const { kind, text, position } = this.#token;
		if (kind === "end") return this.#error("unexpected end of statement");
		const description = kind === "text" ? "a string" : `'${text}'`;
		return this.#error(`unexpected ${description} at position ${position} of expression '${this.#source.slice(0, 1_000)}'`);
	}

	#error(message: string): YaqlSyntaxError {
		return new YaqlSyntaxError("YaqlGrammarException", `Parse error: ${message}`);
	}
}

function toWord(text: string): Expression {
	if (text === "null") return { kind: "constant", value: null };
	return text === "true" || text === "false" ? { kind: "constant", value: text === "true" } : { kind: "word", text };
}
