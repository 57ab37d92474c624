import { TemplateSyntaxError } from "./errors.ts";
import { parseExpression, parseExpressionList, parseFilterCall, parseOr } from "./expression-parser.ts";
import { type Segment, toSegments } from "./lexer.ts";
import type { Expression, FilterCall, Statement } from "./syntax.ts";
import { TokenReader } from "./token-reader.ts";

/** Parses the statements of a template. */
export function parseTemplate(source: string, maximumDepth: number): readonly Statement[] {
	return new TemplateParser(toSegments(source), maximumDepth).parse();
}

/** Returns the expression of a template that consists of one `{{ }}`; undefined for any other template. */
export function singleExpression(statements: readonly Statement[]): Expression | undefined {
	const [onlyStatement] = statements;
	return statements.length === 1 && onlyStatement?.kind === "output" ? onlyStatement.expression : undefined;
}

/** Statements of a block, and the tag that ends it. The tag is undefined at the end of the template. */
interface Block {
	readonly body: readonly Statement[];
	readonly end: { readonly word: string; readonly reader: TokenReader } | undefined;
}

class TemplateParser {
	readonly #segments: Iterator<Segment>;
	readonly #maxDepth: number;
	#depth = 0;

	constructor(segments: Iterable<Segment>, maximumDepth: number) {
		this.#segments = segments[Symbol.iterator]();
		this.#maxDepth = maximumDepth;
	}

	parse(): readonly Statement[] {
		return this.#parseBlock([]).body;
	}

	/** Parses statements up to a tag that begins with one of the words. Without words, parses up to the end of the template. */
	#parseBlock(words: readonly string[]): Block {
		const body: Statement[] = [];
		for (;;) {
			const { value: segment, done } = this.#segments.next();
			if (done === true) return { body, end: undefined };
			if (segment.kind === "text") {
				body.push({ kind: "text", text: segment.text });
				continue;
			}
			// The nesting of statements reduces the nesting that their expressions may have.
			const reader = new TokenReader(segment.tokens, segment.line, this.#maxDepth - this.#depth);
			if (segment.kind === "expression") {
				body.push({ kind: "output", expression: expectWhole(reader, parseExpressionList(reader)) });
				continue;
			}
			const word = reader.takeName();
			if (words.includes(word)) return { body, end: { word, reader } };
			body.push(this.#parseStatement(word, reader));
		}
	}

	#parseStatement(word: string, reader: TokenReader): Statement {
		this.#depth++;
		const statement = reader.readNested(() => {
			if (word === "if") return this.#parseIf(reader);
			if (word === "for") return this.#parseFor(reader);
			if (word === "set") return this.#parseSet(reader);
			throw reader.error(`unknown statement "${word}"`);
		});
		this.#depth--;
		return statement;
	}

	#parseIf(reader: TokenReader): Statement {
		const branches: [Expression, readonly Statement[]][] = [];
		let test = expectWhole(reader, parseExpressionList(reader));
		for (;;) {
			const { body, end } = this.#parseRequiredBlock(reader, ["elif", "else", "endif"]);
			branches.push([test, body]);
			if (end.word !== "elif") return { kind: "if", branches, otherwise: this.#parseElse(end, "endif") };
			test = expectWhole(end.reader, parseExpressionList(end.reader));
		}
	}

	#parseFor(reader: TokenReader): Statement {
		const targets = parseTargets(reader);
		reader.expect("in");
		const iterable = parseOr(reader);
		const condition = reader.take("if") ? parseExpression(reader) : undefined;
		reader.expectEnd();
		const { body, end } = this.#parseRequiredBlock(reader, ["else", "endfor"]);
		return { kind: "for", targets, iterable, condition, body, otherwise: this.#parseElse(end, "endfor") };
	}

	#parseElse(end: NonNullable<Block["end"]>, word: string): readonly Statement[] {
		end.reader.expectEnd();
		if (end.word !== "else") return [];
		const { body, end: endTag } = this.#parseRequiredBlock(end.reader, [word]);
		endTag.reader.expectEnd();
		return body;
	}

	#parseSet(reader: TokenReader): Statement {
		if (reader.isNext(".", 1)) {
			const name = reader.takeName();
			reader.expect(".");
			const member = reader.takeName();
			reader.expect("=");
			return { kind: "set-member", name, member, value: expectWhole(reader, parseExpressionList(reader)) };
		}
		const targets = parseTargets(reader);
		if (reader.take("=")) return { kind: "set", targets, value: expectWhole(reader, parseExpressionList(reader)) };
		const filters: FilterCall[] = [];
		while (reader.take("|")) filters.push(parseFilterCall(reader));
		reader.expectEnd();
		const { body, end } = this.#parseRequiredBlock(reader, ["endset"]);
		end.reader.expectEnd();
		return { kind: "set-block", name: targets[0] as string, filters, body };
	}

	#parseRequiredBlock(reader: TokenReader, words: readonly string[]): Block & { readonly end: NonNullable<Block["end"]> } {
		const { body, end } = this.#parseBlock(words);
		if (end === undefined) throw new TemplateSyntaxError(`"${words.at(-1)}" is missing`, reader.line);
		return { body, end };
	}
}

/** Parses `name` or `name, name`, with or without parentheses. */
function parseTargets(reader: TokenReader): string[] {
	const hasParenthesis = reader.take("(");
	const targets = [reader.takeName()];
	while (reader.take(",")) if (reader.peek()?.kind === "name" && !reader.isNext("in")) targets.push(reader.takeName());
	if (hasParenthesis) reader.expect(")");
	return targets;
}

function expectWhole(reader: TokenReader, expression: Expression): Expression {
	reader.expectEnd();
	return expression;
}
