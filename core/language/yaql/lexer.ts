import { parseInteger } from "../../contract/index.ts";
import { LexicalTokenCounter } from "../lexical-token-limit.ts";
import { matchToken, resolveEscape } from "../lexical-tokens.ts";
import { YaqlSyntaxError } from "./errors.ts";

export interface Token {
	/** Kind of the token; `call` is a name with a parenthesis directly after it. */
	readonly kind: "text" | "integer" | "float" | "word" | "call" | "variable" | "operator" | "end";
	/**
	 * The token as written, and the name for a `call`. It is empty for a string literal, so that a literal is never mistaken for an
	 * operator.
	 */
	readonly text: string;
	readonly value: string | number | bigint;
	readonly position: number;
}

const tokenPatterns = {
	variable: /\$[\p{L}\p{N}_]*/uy,
	float: /\d+\.\d+(?![\p{L}\p{N}_])/uy,
	integer: /\d+(?![\p{L}\p{N}_])/uy,
	call: /[\p{L}_][\p{L}\p{N}_]*\(/uy,
	word: /(?!__)[\p{L}_][\p{L}\p{N}_]*/uy,
	text: /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"|`[^`\\]*(?:\\[^][^`\\]*)*`/y,
	operator: /=>|->|=~|!~|!=|>=|<=|\?\.|[-+*/.<>=,()[\]{}]/y,
} as const;

const whitespacePattern = /[ \t\r\n]*/y;

/** Words that are operators, even with a parenthesis directly after them. */
export const wordOperators: ReadonlySet<string> = new Set(["and", "or", "not", "in", "mod"]);

/** Returns the tokens of an expression, followed by an `end` token. Throws `YaqlSyntaxError` if a character is not valid. */
export function readTokens(source: string): readonly Token[] {
	const tokens: Token[] = [];
	const counter = new LexicalTokenCounter("expression");
	for (let position = skipWhitespace(source, 0); position < source.length; ) {
		const { token, end } = readToken(source, position, counter);
		tokens.push(token);
		position = skipWhitespace(source, end);
	}
	counter.report();
	return [...tokens, { kind: "end", text: "", value: "", position: source.length }];
}

function skipWhitespace(source: string, position: number): number {
	whitespacePattern.lastIndex = position;
	return position + (whitespacePattern.exec(source)?.[0].length ?? 0);
}

function readToken(source: string, position: number, counter: LexicalTokenCounter): { readonly token: Token; readonly end: number } {
	const match = matchToken(tokenPatterns, source, position);
	if (match === undefined) {
		const character = String.fromCodePoint(source.codePointAt(position) ?? 0);
		throw new YaqlSyntaxError("YaqlLexicalException", `Lexical error: illegal character '${character}' at position ${position}`);
	}
	const { kind, text } = match;
	if (kind === "text") counter.addText(text);
	else counter.add();
	const name = text.slice(0, -1);
	if (kind === "call" && wordOperators.has(name)) {
		return { token: { kind: "word", text: name, value: name, position }, end: position + name.length };
	}
	return { token: toToken(kind, text, position), end: position + text.length };
}

function toToken(kind: keyof typeof tokenPatterns, text: string, position: number): Token {
	if (kind === "text") return { kind, text: "", value: toText(text), position };
	if (kind === "call") return { kind, text: text.slice(0, -1), value: "", position };
	const value = kind === "integer" ? parseInteger(text) : kind === "float" ? Number(text) : text;
	return { kind, text, value, position };
}

const escapePattern = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([^]))/g;

/** Returns the value of a string literal. Between backticks, only the backtick can be escaped. An unknown escape stays unchanged. */
function toText(literal: string): string {
	const text = literal.slice(1, -1);
	if (literal.startsWith("`")) return text.replaceAll("\\`", "`");
	if (!text.includes("\\")) return text;
	return text.replace(escapePattern, (match: string, byte?: string, unit?: string, point?: string, octal?: string, simple?: string) => {
		if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
		const code = byte ?? unit ?? point;
		if (code === undefined) return resolveEscape(simple ?? "") ?? match;
		const number = Number.parseInt(code, 16);
		return number <= 0x10ffff ? String.fromCodePoint(number) : match;
	});
}
