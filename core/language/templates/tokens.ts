import { parseWholeNumber, toWholeNumber } from "../../contract/index.ts";
import type { TokenCounter } from "../token-limit.ts";
import { TemplateSyntaxError } from "./errors.ts";

export interface Token {
	readonly kind: "name" | "integer" | "float" | "string" | "operator";
	/** As written; empty for a string, so that none is mistaken for an operator. */
	readonly text: string;
	/** Text of a string, number of a number. */
	readonly value: string | number | bigint;
	/** Where the next token may begin. */
	readonly end: number;
}

const patterns = {
	name: /[\p{L}_][\p{L}\p{N}_]*/uy,
	float: /\d+(?:_\d+)*(?:\.\d+(?:_\d+)*(?:[eE][+-]?\d+)?|[eE][+-]?\d+)/y,
	integer: /0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d+(?:_\d+)*/y,
	string: /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"/y,
	operator: /\*\*|\/\/|==|!=|>=|<=|[-+*/%~<>=.:|,()[\]{}]/y,
} as const;

const kinds = ["name", "float", "integer", "string", "operator"] as const;

interface Reading {
	/** For messages. */
	readonly line: number;
	readonly counter: TokenCounter;
}

/** The token at `position`, which is not white space. */
export function readToken(source: string, position: number, { line, counter }: Reading): Token {
	for (const kind of kinds) {
		const pattern = patterns[kind];
		pattern.lastIndex = position;
		const text = pattern.exec(source)?.[0];
		if (text === undefined) continue;
		if (kind === "string") counter.addText(text);
		else counter.add();
		return { kind, text: kind === "string" ? "" : text, value: toValue(kind, text), end: position + text.length };
	}
	throw new TemplateSyntaxError(`unexpected character "${String.fromCodePoint(source.codePointAt(position) ?? 0)}"`, line);
}

function toValue(kind: Token["kind"], text: string): string | number | bigint {
	if (kind === "string") return resolveEscapes(text.slice(1, -1));
	if (kind === "float") return Number(text.replaceAll("_", ""));
	if (kind !== "integer") return text;
	return /^0[xob]/i.test(text) ? toWholeNumber(BigInt(text)) : parseWholeNumber(text.replaceAll("_", ""));
}

const simpleEscapes: Readonly<Record<string, string>> = {
	n: "\n",
	r: "\r",
	t: "\t",
	b: "\b",
	f: "\f",
	v: "\v",
	a: "\x07",
	"\\": "\\",
	"'": "'",
	'"': '"',
	"\n": "",
};

const escapeSequence = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|([^]))/g;

/** An escape the reference does not know stays as it is, back slash included. */
function resolveEscapes(text: string): string {
	if (!text.includes("\\")) return text;
	return text.replace(escapeSequence, (match: string, byte?: string, unit?: string, simple?: string) => {
		const code = byte ?? unit;
		if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
		return simple !== undefined && Object.hasOwn(simpleEscapes, simple) ? (simpleEscapes[simple] ?? "") : match;
	});
}
