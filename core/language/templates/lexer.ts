import { LexicalTokenCounter } from "../lexical-token-limit.ts";
import { TemplateSyntaxError } from "./errors.ts";
import { readToken, type Token } from "./tokens.ts";

/** Segment of a template: literal text, or the tokens of one `{{ }}` or `{% %}` tag. */
export type Segment =
	| { readonly kind: "text"; readonly text: string; readonly line: number }
	| { readonly kind: "expression" | "statement"; readonly tokens: readonly Token[]; readonly line: number };

const whitespacePattern = /\s*/y;
const tagPattern = /\{\{|\{%|\{#/g;
const rawBeginPattern = /\{%([-+]?)\s*raw\s*(-?)%\}/y;
const rawEndPattern = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;

/**
 * Splits a template into segments. White space is handled as in Jinja with `trim_blocks` and `lstrip_blocks`. The first newline after a
 * block is removed, and so are spaces and tabs before a block that begins a line. A `-` inside a tag removes all white space on its side.
 * Segments are read lazily, so that a string which is not a template stops the parsing early.
 */
export function toSegments(source: string): Iterable<Segment> {
	// Jinja removes one newline at the end of a template.
	return new Lexer(source.replace(/\r?\n$/, "")).run();
}

class Lexer {
	readonly #source: string;
	readonly #counter = new LexicalTokenCounter("template");
	readonly #segments: Segment[] = [];
	#position = 0;
	#line = 1;
	#lineCountedTo = 0;
	/** Positions of the last closing braces of each kind; -1 if there are none. */
	readonly #lastClose: { "}}"?: number; "%}"?: number } = {};

	constructor(source: string) {
		this.#source = source;
	}

	*run(): Generator<Segment, void> {
		while (this.#position < this.#source.length) {
			tagPattern.lastIndex = this.#position;
			const match = tagPattern.exec(this.#source);
			if (match === null) {
				this.#pushText(this.#source.slice(this.#position));
				break;
			}
			this.#counter.add();
			this.#readTag(match.index, match[0]);
			yield* this.#segments.splice(0);
		}
		this.#counter.report();
		yield* this.#segments.splice(0);
	}

	#readTag(start: number, tag: string): void {
		const sign = this.#source.charAt(start + 2);
		const hasSign = sign === "-" || (sign === "+" && tag !== "{{");
		const textBefore = this.#source.slice(this.#position, start);
		const isAtLineStart = this.#position === 0 || this.#source.charAt(this.#position - 1) === "\n";
		if (sign === "-") this.#pushText(textBefore.trimEnd());
		else this.#pushText(tag === "{{" || hasSign ? textBefore : stripLineStart(textBefore, isAtLineStart));
		rawBeginPattern.lastIndex = start;
		const raw = rawBeginPattern.exec(this.#source);
		if (raw !== null) this.#readRaw(start + raw[0].length, raw[2] === "-");
		else if (tag === "{#") this.#skipComment(start);
		else this.#readTokens(tag === "{{" ? "expression" : "statement", start + 2 + (hasSign ? 1 : 0));
	}

	#readRaw(start: number, shouldTrimStart: boolean): void {
		rawEndPattern.lastIndex = start;
		const end = rawEndPattern.exec(this.#source);
		if (end === null) throw new TemplateSyntaxError("the raw block has no end", this.#lineAt(start));
		let text = this.#source.slice(start, end.index);
		if (shouldTrimStart) text = text.trimStart();
		if (end[1] === "-") text = text.trimEnd();
		else if (end[1] === "") text = stripLineStart(text, false);
		this.#pushText(text);
		this.#skipAfter(end.index + end[0].length, end[2] ?? "", true);
	}

	#skipComment(start: number): void {
		const end = this.#source.indexOf("#}", start + 2);
		if (end < 0) throw new TemplateSyntaxError("the comment has no end", this.#lineAt(start));
		const sign = this.#source.charAt(end - 1);
		this.#skipAfter(end + 2, end - 1 > start + 1 && (sign === "-" || sign === "+") ? sign : "", true);
	}

	#readTokens(kind: "expression" | "statement", start: number): void {
		const close = kind === "expression" ? "}}" : "%}";
		const line = this.#lineAt(start);
		if (!this.#canClose(close, start)) throw new TemplateSyntaxError(`"${close}" is missing`, line);
		const tokens: Token[] = [];
		let position = start;
		// A closing brace belongs to an object literal while one is open.
		let openBraces = 0;
		for (;;) {
			position = this.#skipSpace(position);
			const sign =
				/[-+]/.test(this.#source.charAt(position)) && this.#source.startsWith(close, position + 1) ? this.#source.charAt(position) : "";
			if (openBraces === 0 && this.#source.startsWith(close, position + sign.length)) {
				this.#segments.push({ kind, tokens, line });
				this.#skipAfter(position + sign.length + 2, sign, kind === "statement");
				return;
			}
			if (position >= this.#source.length) throw new TemplateSyntaxError(`"${close}" is missing`, line);
			const token = readToken(this.#source, position, { line, counter: this.#counter });
			if (token.text === "{") openBraces++;
			if (token.text === "}") openBraces--;
			tokens.push(token);
			position = token.end;
		}
	}

	/** Continues after a tag, and skips the white space that its closing side removes. */
	#skipAfter(position: number, sign: string, isBlock: boolean): void {
		this.#position = position;
		if (sign === "-") this.#position = this.#skipSpace(position);
		else if (isBlock && sign !== "+") this.#position += /^\r?\n/.exec(this.#source.slice(position, position + 2))?.[0].length ?? 0;
	}

	#skipSpace(position: number): number {
		whitespacePattern.lastIndex = position;
		whitespacePattern.exec(this.#source);
		return whitespacePattern.lastIndex;
	}

	/** Returns true if a tag can still be closed after a position. This check avoids reading a template with stray braces to its end. */
	#canClose(close: "}}" | "%}", position: number): boolean {
		this.#lastClose[close] ??= this.#source.lastIndexOf(close);
		return this.#lastClose[close] >= position;
	}

	#pushText(text: string): void {
		if (text !== "") this.#segments.push({ kind: "text", text, line: this.#lineAt(this.#position) });
	}

	/** Returns the line of a position. Positions must be requested in ascending order, so that each line is counted once. */
	#lineAt(position: number): number {
		for (; this.#lineCountedTo < position; this.#lineCountedTo++) if (this.#source.charAt(this.#lineCountedTo) === "\n") this.#line++;
		return this.#line;
	}
}

/** Removes spaces and tabs at the end of a segment if its last line contains nothing else. */
function stripLineStart(text: string, isAtLineStart: boolean): string {
	let end = text.length;
	while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\t")) end--;
	const stripped = text.slice(0, end);
	return stripped.endsWith("\n") || (stripped === "" && isAtLineStart) ? stripped : text;
}
