import { TokenCounter } from "../token-limit.ts";
import { TemplateSyntaxError } from "./errors.ts";
import { readToken, type Token } from "./tokens.ts";

/** A piece of a template: text, or the tokens of one `{{ }}` or `{% %}`. */
export type Segment =
	| { readonly kind: "text"; readonly text: string; readonly line: number }
	| { readonly kind: "expression" | "statement"; readonly tokens: readonly Token[]; readonly line: number };

const space = /\s*/y;
const opening = /\{\{|\{%|\{#/g;
const rawBegin = /\{%([-+]?)\s*raw\s*(-?)%\}/y;
const rawEnd = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;

/**
 * Cut a template into segments. White space as in the reference: the first newline after a block is removed, blanks before a
 * block that begins a line are removed, and a `-` inside a tag removes all white space on its side. Each is read when it is asked for, so
 * that a text which is no template ends the reading early.
 */
export function toSegments(source: string, counter = new TokenCounter("template")): Iterable<Segment> {
	// The reference drops one newline at the end of a template.
	return new Lexer(source.replace(/\r?\n$/, ""), counter).run();
}

class Lexer {
	readonly #source: string;
	readonly #counter: TokenCounter;
	readonly #segments: Segment[] = [];
	#position = 0;
	#line = 1;
	#counted = 0;
	/** Position of the last closing braces of each kind; -1 if there are none. */
	readonly #lastClose: { "}}"?: number; "%}"?: number } = {};

	constructor(source: string, counter: TokenCounter) {
		this.#source = source;
		this.#counter = counter;
	}

	*run(): Generator<Segment, void> {
		while (this.#position < this.#source.length) {
			opening.lastIndex = this.#position;
			const found = opening.exec(this.#source);
			if (found === null) {
				this.#pushText(this.#source.slice(this.#position));
				break;
			}
			this.#counter.add();
			this.#readTag(found.index, found[0]);
			yield* this.#segments.splice(0);
		}
		this.#counter.note();
		yield* this.#segments.splice(0);
	}

	#readTag(start: number, tag: string): void {
		const sign = this.#source.charAt(start + 2);
		const hasSign = sign === "-" || (sign === "+" && tag !== "{{");
		const before = this.#source.slice(this.#position, start);
		const isFirst = this.#position === 0 || this.#source.charAt(this.#position - 1) === "\n";
		if (sign === "-") this.#pushText(before.trimEnd());
		else this.#pushText(tag === "{{" || hasSign ? before : stripLineStart(before, isFirst));
		rawBegin.lastIndex = start;
		const raw = rawBegin.exec(this.#source);
		if (raw !== null) this.#readRaw(start + raw[0].length, raw[2] === "-");
		else if (tag === "{#") this.#skipComment(start);
		else this.#readTokens(tag === "{{" ? "expression" : "statement", start + 2 + (hasSign ? 1 : 0));
	}

	#readRaw(start: number, trimStart: boolean): void {
		rawEnd.lastIndex = start;
		const end = rawEnd.exec(this.#source);
		if (end === null) throw new TemplateSyntaxError("the raw block has no end", this.#lineAt(start));
		let text = this.#source.slice(start, end.index);
		if (trimStart) text = text.trimStart();
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
		if (!this.#isClosed(close, start)) throw new TemplateSyntaxError(`"${close}" is missing`, line);
		const tokens: Token[] = [];
		let position = start;
		// A closing brace belongs to an object literal as long as one is open.
		let open = 0;
		for (;;) {
			position = this.#skipSpace(position);
			const sign =
				/[-+]/.test(this.#source.charAt(position)) && this.#source.startsWith(close, position + 1) ? this.#source.charAt(position) : "";
			if (open === 0 && this.#source.startsWith(close, position + sign.length)) {
				this.#segments.push({ kind, tokens, line });
				this.#skipAfter(position + sign.length + 2, sign, kind === "statement");
				return;
			}
			if (position >= this.#source.length) throw new TemplateSyntaxError(`"${close}" is missing`, line);
			const token = readToken(this.#source, position, { line, counter: this.#counter });
			if (token.text === "{") open++;
			if (token.text === "}") open--;
			tokens.push(token);
			position = token.end;
		}
	}

	/** Go on behind a tag, leaving out the white space that its closing side removes. */
	#skipAfter(position: number, sign: string, isBlock: boolean): void {
		this.#position = position;
		if (sign === "-") this.#position = this.#skipSpace(position);
		else if (isBlock && sign !== "+") this.#position += /^\r?\n/.exec(this.#source.slice(position, position + 2))?.[0].length ?? 0;
	}

	#skipSpace(position: number): number {
		space.lastIndex = position;
		space.exec(this.#source);
		return space.lastIndex;
	}

	/** Returns true if a tag may end behind a position. Prose behind braces is not read to its end then. */
	#isClosed(close: "}}" | "%}", position: number): boolean {
		this.#lastClose[close] ??= this.#source.lastIndexOf(close);
		return this.#lastClose[close] >= position;
	}

	#pushText(text: string): void {
		if (text !== "") this.#segments.push({ kind: "text", text, line: this.#lineAt(this.#position) });
	}

	/** Positions are asked for in ascending order, so that lines are counted once. */
	#lineAt(position: number): number {
		for (; this.#counted < position; this.#counted++) if (this.#source.charAt(this.#counted) === "\n") this.#line++;
		return this.#line;
	}
}

/** Remove blanks at the end of a text when they are all there is on their line. */
function stripLineStart(text: string, startsLine: boolean): string {
	let end = text.length;
	while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\t")) end--;
	const stripped = text.slice(0, end);
	return stripped.endsWith("\n") || (stripped === "" && startsLine) ? stripped : text;
}
