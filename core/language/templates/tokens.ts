import { parseInteger, toCanonicalInteger } from "../../contract/index.ts";
import type { LexicalTokenCounter } from "../lexical-token-limit.ts";
import { matchToken, resolveEscape } from "../lexical-tokens.ts";
import { TemplateSyntaxError } from "./errors.ts";

/** Token of an expression or statement. */
export interface Token {
	readonly kind: "name" | "integer" | "float" | "string" | "operator";
	/** The token as written; empty for a string, so that a string is never mistaken for an operator. */
	readonly text: string;
	/** Value of a string or number; any other token as written. */
	readonly value: string | number | bigint;
	/** Position after the token. */
	readonly end: number;
}

const tokenPatterns = {
	name: /[\p{L}_][\p{L}\p{N}_]*/uy,
	float: /\d+(?:_\d+)*(?:\.\d+(?:_\d+)*(?:[eE][+-]?\d+)?|[eE][+-]?\d+)/y,
	integer: /0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d+(?:_\d+)*/y,
	string: /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"/y,
	operator: /\*\*|\/\/|==|!=|>=|<=|[-+*/%~<>=.:|,()[\]{}]/y,
} as const;

interface TokenContext {
	/** Line of the tag, for messages. */
	readonly line: number;
	readonly counter: LexicalTokenCounter;
}

/** Reads the token at `position`, which must not be white space. Throws `TemplateSyntaxError` if there is none. */
export function readToken(source: string, position: number, { line, counter }: TokenContext): Token {
	const match = matchToken(tokenPatterns, source, position);
	if (match === undefined)
		throw new TemplateSyntaxError(`unexpected character "${String.fromCodePoint(source.codePointAt(position) ?? 0)}"`, line);
	const { kind, text } = match;
	if (kind === "string") counter.addText(text);
	else counter.add();
	return { kind, text: kind === "string" ? "" : text, value: toValue(kind, text), end: position + text.length };
}

function toValue(kind: Token["kind"], text: string): string | number | bigint {
	if (kind === "string") return resolveEscapes(text.slice(1, -1));
	if (kind === "float") return Number(text.replaceAll("_", ""));
	if (kind !== "integer") return text;
	return /^0[xob]/i.test(text) ? toCanonicalInteger(BigInt(text)) : parseInteger(text.replaceAll("_", ""));
}

const escapePattern = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|([^]))/g;

/** Resolves the escapes of a string literal. As in Python, an unknown escape stays unchanged, including its backslash. */
function resolveEscapes(text: string): string {
	if (!text.includes("\\")) return text;
	return text.replace(escapePattern, (match: string, byte?: string, unit?: string, simple?: string) => {
		const code = byte ?? unit;
		if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
		// A line that ends with a backslash continues on the next one.
		return simple === "\n" ? "" : (resolveEscape(simple ?? "") ?? match);
	});
}
