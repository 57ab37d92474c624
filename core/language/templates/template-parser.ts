import { TemplateSyntaxError } from "./errors.ts";
import { parseExpression, parseExpressionList, parseFilter, parseOr } from "./expression-parser.ts";
import { type Segment, toSegments } from "./lexer.ts";
import type { Expression, FilterCall, Statement } from "./syntax.ts";
import { TokenReader } from "./token-reader.ts";

/** The statements of a template. */
export function parseTemplate(source: string, maximumDepth: number): readonly Statement[] {
	const parser = new TemplateParser(toSegments(source), maximumDepth);
	return parser.parse();
}

/** A body and the tag that ended it; no tag at the end of the template. */
interface Block {
	readonly body: readonly Statement[];
	readonly end: { readonly word: string; readonly reader: TokenReader } | undefined;
}

class TemplateParser {
	readonly #segments: Iterator<Segment>;
	readonly #maximumDepth: number;
	#depth = 0;

	constructor(segments: Iterable<Segment>, maximumDepth: number) {
		this.#segments = segments[Symbol.iterator]();
		this.#maximumDepth = maximumDepth;
	}

	parse(): readonly Statement[] {
		return this.#block([]).body;
	}

	/** Statements up to a tag that begins with one of the words; up to the end when there are none. */
	#block(words: readonly string[]): Block {
		const body: Statement[] = [];
		for (;;) {
			const { value: segment, done } = this.#segments.next();
			if (done === true) return { body, end: undefined };
			if (segment.kind === "text") {
				body.push({ kind: "text", text: segment.text });
				continue;
			}
			// What is nested in statements counts for what is nested in their expressions.
			const reader = new TokenReader(segment.tokens, segment.line, this.#maximumDepth - this.#depth);
			if (segment.kind === "expression") {
				body.push({ kind: "output", expression: whole(reader, parseExpressionList(reader)) });
				continue;
			}
			const word = reader.name();
			if (words.includes(word)) return { body, end: { word, reader } };
			body.push(this.#statement(word, reader));
		}
	}

	#statement(word: string, reader: TokenReader): Statement {
		this.#depth++;
		const statement = reader.nested(() => {
			if (word === "if") return this.#if(reader);
			if (word === "for") return this.#for(reader);
			if (word === "set") return this.#set(reader);
			throw reader.error(`unknown statement "${word}"`);
		});
		this.#depth--;
		return statement;
	}

	#if(reader: TokenReader): Statement {
		const branches: [Expression, readonly Statement[]][] = [];
		let test = whole(reader, parseExpressionList(reader));
		for (;;) {
			const { body, end } = this.#inner(reader, ["elif", "else", "endif"]);
			branches.push([test, body]);
			if (end.word !== "elif") return { kind: "if", branches, otherwise: this.#otherwise(end, "endif") };
			test = whole(end.reader, parseExpressionList(end.reader));
		}
	}

	#for(reader: TokenReader): Statement {
		const targets = parseTargets(reader);
		reader.expect("in");
		const iterable = parseOr(reader);
		const condition = reader.take("if") ? parseExpression(reader) : undefined;
		reader.expectEnd();
		const { body, end } = this.#inner(reader, ["else", "endfor"]);
		return { kind: "for", targets, iterable, condition, body, otherwise: this.#otherwise(end, "endfor") };
	}

	#otherwise(end: NonNullable<Block["end"]>, word: string): readonly Statement[] {
		end.reader.expectEnd();
		if (end.word !== "else") return [];
		const { body, end: last } = this.#inner(end.reader, [word]);
		last.reader.expectEnd();
		return body;
	}

	#set(reader: TokenReader): Statement {
		if (reader.at(".", 1)) {
			const name = reader.name();
			reader.expect(".");
			const member = reader.name();
			reader.expect("=");
			return { kind: "set-member", name, member, value: whole(reader, parseExpressionList(reader)) };
		}
		const targets = parseTargets(reader);
		if (reader.take("=")) return { kind: "set", targets, value: whole(reader, parseExpressionList(reader)) };
		const filters: FilterCall[] = [];
		while (reader.take("|")) filters.push(parseFilter(reader));
		reader.expectEnd();
		const { body, end } = this.#inner(reader, ["endset"]);
		end.reader.expectEnd();
		return { kind: "set-block", name: targets[0] as string, filters, body };
	}

	#inner(reader: TokenReader, words: readonly string[]): Block & { readonly end: NonNullable<Block["end"]> } {
		const { body, end } = this.#block(words);
		if (end === undefined) throw new TemplateSyntaxError(`"${words.at(-1)}" is missing`, reader.line);
		return { body, end };
	}
}

/** `name` or `name, name`, with or without brackets. */
function parseTargets(reader: TokenReader): string[] {
	const bracket = reader.take("(");
	const targets = [reader.name()];
	while (reader.take(",")) if (reader.peek()?.kind === "name" && !reader.at("in")) targets.push(reader.name());
	if (bracket) reader.expect(")");
	return targets;
}

function whole(reader: TokenReader, expression: Expression): Expression {
	reader.expectEnd();
	return expression;
}
