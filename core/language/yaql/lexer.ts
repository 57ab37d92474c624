import { parseWholeNumber } from "../../contract/index.ts";
import { TokenCounter } from "../token-limit.ts";
import { YaqlSyntaxError } from "./errors.ts";

export interface Token {
	/** `call` is a name with the parenthesis right behind it. */
	readonly kind: "text" | "integer" | "float" | "word" | "call" | "variable" | "operator" | "end";
	/** As written; of a text nothing, so that none is mistaken for an operator. Of a call the name. */
	readonly text: string;
	readonly value: string | number | bigint;
	readonly position: number;
}

const patterns = {
	variable: /\$[\p{L}\p{N}_]*/uy,
	float: /\d+\.\d+(?![\p{L}\p{N}_])/uy,
	integer: /\d+(?![\p{L}\p{N}_])/uy,
	call: /[\p{L}_][\p{L}\p{N}_]*\(/uy,
	word: /(?!__)[\p{L}_][\p{L}\p{N}_]*/uy,
	text: /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"|`[^`\\]*(?:\\[^][^`\\]*)*`/y,
	operator: /=>|->|=~|!~|!=|>=|<=|\?\.|[-+*/.<>=,()[\]{}]/y,
} as const;

const kinds = ["variable", "float", "integer", "call", "word", "text", "operator"] as const;
const space = /[ \t\r\n]*/y;

/** Words that are operators, also with a parenthesis right behind them. */
export const wordOperators: ReadonlySet<string> = new Set(["and", "or", "not", "in", "mod"]);

/** The tokens of an expression; the last one is its end. */
export function readTokens(source: string): readonly Token[] {
	const tokens: Token[] = [];
	const counter = new TokenCounter("expression");
	for (let position = skipSpace(source, 0); position < source.length; ) {
		const { token, end } = readToken(source, position, counter);
		tokens.push(token);
		position = skipSpace(source, end);
	}
	counter.note();
	return [...tokens, { kind: "end", text: "", value: "", position: source.length }];
}

function skipSpace(source: string, position: number): number {
	space.lastIndex = position;
	return position + (space.exec(source)?.[0].length ?? 0);
}

function readToken(source: string, position: number, counter: TokenCounter): { readonly token: Token; readonly end: number } {
	for (const kind of kinds) {
		const pattern = patterns[kind];
		pattern.lastIndex = position;
		const found = pattern.exec(source)?.[0];
		if (found === undefined) continue;
		if (kind === "text") counter.addText(found);
		else counter.add();
		const name = found.slice(0, -1);
		if (kind === "call" && wordOperators.has(name)) {
			return { token: { kind: "word", text: name, value: name, position }, end: position + name.length };
		}
		return { token: toToken(kind, found, position), end: position + found.length };
	}
	const character = String.fromCodePoint(source.codePointAt(position) ?? 0);
	throw new YaqlSyntaxError("YaqlLexicalException", `Lexical error: illegal character '${character}' at position ${position}`);
}

function toToken(kind: (typeof kinds)[number], found: string, position: number): Token {
	if (kind === "text") return { kind, text: "", value: toText(found), position };
	if (kind === "call") return { kind, text: found.slice(0, -1), value: "", position };
	const value = kind === "integer" ? parseWholeNumber(found) : kind === "float" ? Number(found) : found;
	return { kind, text: found, value, position };
}

const simpleEscapes: Readonly<Record<string, string>> = {
	"\\": "\\",
	"'": "'",
	'"': '"',
	a: "\x07",
	b: "\b",
	f: "\f",
	n: "\n",
	r: "\r",
	t: "\t",
	v: "\v",
};
const escapeSequence = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([^]))/g;

/** Between back-ticks nothing but the back-tick is escaped. An escape that means nothing stays as it is. */
function toText(found: string): string {
	const text = found.slice(1, -1);
	if (found.startsWith("`")) return text.replaceAll("\\`", "`");
	if (!text.includes("\\")) return text;
	return text.replace(escapeSequence, (match: string, byte?: string, unit?: string, point?: string, octal?: string, simple?: string) => {
		if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
		const code = byte ?? unit ?? point;
		if (code === undefined) return simple !== undefined && Object.hasOwn(simpleEscapes, simple) ? (simpleEscapes[simple] ?? "") : match;
		const number = Number.parseInt(code, 16);
		return number <= 0x10ffff ? String.fromCodePoint(number) : match;
	});
}
