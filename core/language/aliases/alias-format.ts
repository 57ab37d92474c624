import { SvcError, toErrorMessage } from "../../contract/index.ts";
import { parameterNamePattern } from "../parameters/check-definitions.ts";
import { type BoundedRegExp, createBoundedRegExp } from "../safe-regexp.ts";
import { type Command, type CommandText, readCommand, slice } from "./command-text.ts";
import { splitFlags, toFixedBeginning, toTextPattern } from "./text-pattern.ts";
import { cutPairs } from "./trailing-pairs.ts";
import { quotedPattern, toValue } from "./value-text.ts";

/** Values by the names of parameters. */
export type CommandValues = Readonly<Record<string, string>>;

/** A format, ready to be held against any number of commands. */
export interface AliasFormat {
	/** Names of the values that it takes. */
	readonly names: readonly string[];
	/**
	 * What a command says; undefined for one that does not fit. Of a format that matches several times each of them, without those there
	 * is undefined. `SVC_INVALID` where the search takes too long.
	 */
	read(command: Command): readonly CommandValues[] | undefined;
}

/** Beginning of the names of groups that the service makes. */
const groupPrefix = "svc_value_";

/** Read a format. `SVC_INVALID` says what is wrong with it. `isMultiple`: it may stand anywhere in a command, several times. */
export function createAliasFormat(format: string, isMultiple = false): AliasFormat {
	const parts = toFormatParts(format);
	const [first] = parts;
	const { text, flags } = splitFlags(first?.kind === "text" ? first.text : "");
	const pieces = first?.kind === "text" ? [{ kind: "text", text } as const, ...parts.slice(1)] : parts;
	const expression = toExpression(pieces, [...new Set(`dgs${flags}`)].join(""), isMultiple);
	const isFree = isMultiple || flags.includes("m") || pieces.some((piece) => piece.kind === "text" && piece.text.includes("|"));
	return new CompiledFormat(pieces, expression, { isMultiple, beginning: isFree ? "" : toFixedBeginning(text).toLowerCase() });
}

interface Habits {
	readonly isMultiple: boolean;
	/** What every command that fits begins with, in small letters. Looked at first: a search costs a hundred times as much. */
	readonly beginning: string;
}

class CompiledFormat implements AliasFormat {
	readonly names: readonly string[];
	readonly #parts: readonly FormatPart[];
	readonly #expression: BoundedRegExp;
	readonly #habits: Habits;
	/** Keys that the format itself writes, as in `size={{ size }}`. */
	readonly #keys: ReadonlySet<string>;

	constructor(parts: readonly FormatPart[], expression: BoundedRegExp, habits: Habits) {
		this.#parts = parts;
		this.#expression = expression;
		this.#habits = habits;
		this.names = [...new Set(parts.flatMap((part) => (part.kind === "value" ? part.name : [])))];
		this.#keys = new Set(
			parts.flatMap((part) => (part.kind === "text" ? [...part.text.matchAll(/([\w.-]+)\s*=/g)].map(([, key]) => key ?? "") : [])),
		);
	}

	read(given: Command): readonly CommandValues[] | undefined {
		const { isMultiple, beginning } = this.#habits;
		if (!given.beginning.startsWith(beginning)) return undefined;
		const { command, pairs } = cutPairs(given, this.#keys);
		const found = this.#expression.occurrences(command.plain).filter(([whole]) => whole !== "");
		if (found.length === 0) return undefined;
		return (isMultiple ? found : found.slice(0, 1)).map((match) => ({ ...this.#valuesOf(match, command), ...pairs }));
	}

	#valuesOf(match: RegExpExecArray, command: CommandText): CommandValues {
		const values = new Map<string, string>();
		for (const [group, place] of Object.entries(match.indices?.groups ?? {})) {
			if (place === undefined) continue;
			const value = toValue(slice(command, ...place));
			const part = group.startsWith(groupPrefix) ? this.#parts[Number(group.slice(groupPrefix.length))] : undefined;
			values.set(part?.kind === "value" ? part.name : group, value);
		}
		for (const part of this.#parts) {
			if (part.kind === "value" && part.fallback !== undefined && part.fallback !== "" && !values.has(part.name))
				values.set(part.name, part.fallback);
		}
		return Object.fromEntries(values);
	}
}

function toExpression(parts: readonly FormatPart[], flags: string, isMultiple: boolean): BoundedRegExp {
	const texts = parts.map((part) => (part.kind === "text" ? part.text : ""));
	const isAnchored = { start: /^\s*\^/.test(texts[0] ?? ""), end: /(?:^|[^\\])\$\s*$/.test(texts.at(-1) ?? "") };
	const pattern = parts.map((part, index) => toPattern(part, index, { parts, isMultiple })).join("");
	const start = isMultiple || isAnchored.start ? "" : "^\\s*";
	const end = isMultiple || isAnchored.end ? "" : "\\s*$";
	try {
		return createBoundedRegExp(`${start}(?:${pattern})${end}`, flags);
	} catch (error) {
		throw new SvcError("SVC_INVALID", `is no regular expression: ${toErrorMessage(error)}`, { cause: error });
	}
}

interface Surroundings {
	readonly parts: readonly FormatPart[];
	readonly isMultiple: boolean;
}

function toPattern(part: FormatPart, index: number, { parts, isMultiple }: Surroundings): string {
	if (part.kind === "text") {
		const { before, after } = withoutOptionalBlanks(part.text, parts, index);
		return toTextPattern(part.text.slice(before, after));
	}
	const value = `(?<${groupPrefix}${index}>${quotedPattern}|\\{[^]*?\\}|${isMultiple ? "\\S+" : "\\S[^]*?"})`;
	if (part.fallback === undefined) return value;
	if (isBlankAtEnd(parts[index - 1])) return `(?:\\s+${value})?`;
	return index === 0 && isBlankAtStart(parts[index + 1]) ? `(?:${value}\\s+)?` : `(?:${value})?`;
}

/** The blank beside a value that may be missing goes with it. */
function withoutOptionalBlanks(text: string, parts: readonly FormatPart[], index: number) {
	const isOptional = (part: FormatPart | undefined) => part?.kind === "value" && part.fallback !== undefined;
	const after = isOptional(parts[index + 1]) && isBlankAtEnd(parts[index]) ? text.trimEnd().length : text.length;
	const before = index === 1 && isOptional(parts[0]) && after > 0 ? text.length - text.trimStart().length : 0;
	return { before: Math.min(before, after), after };
}

function isBlankAtEnd(part: FormatPart | undefined): boolean {
	return part?.kind === "text" && /(?:^|[^\\])\s+$/.test(part.text);
}

function isBlankAtStart(part: FormatPart | undefined): boolean {
	return part?.kind === "text" && /^\s/.test(part.text);
}

/** A piece of a format: text, which is a regular expression, or the place of a value. */
type FormatPart =
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "value"; readonly name: string; readonly fallback: string | undefined };

/** What a format may be at most. */
const formatLimits = { length: 2_000, values: 50 };

/** The pieces of a format. `SVC_INVALID` says what is wrong with it. */
function toFormatParts(format: string): readonly FormatPart[] {
	if (format.trim() === "") throw new SvcError("SVC_INVALID", "must not be empty");
	if (format.length > formatLimits.length) {
		throw new SvcError("SVC_INVALID", `must have at most ${formatLimits.length} characters, got ${format.length}`);
	}
	const parts: FormatPart[] = [];
	let at = 0;
	for (let open = format.indexOf("{{"); open !== -1; open = format.indexOf("{{", at)) {
		const close = findClose(format, open + 2);
		if (close === undefined) throw new SvcError("SVC_INVALID", `"${shorten(format.slice(open))}" has no }} at its end`);
		if (open > at) parts.push({ kind: "text", text: format.slice(at, open) });
		parts.push(toValuePart(format.slice(open + 2, close)));
		at = close + 2;
	}
	if (at < format.length) parts.push({ kind: "text", text: format.slice(at) });
	if (parts.filter(({ kind }) => kind === "value").length > formatLimits.values) {
		throw new SvcError("SVC_INVALID", `must have at most ${formatLimits.values} values in {{ }}`);
	}
	return parts;
}

/** Of three braces the first one belongs to what stands within, as in `{{ options={} }}` without the blank. */
function findClose(format: string, from: number): number | undefined {
	let close = format.indexOf("}}", from);
	if (close === -1) return undefined;
	while (format[close + 2] === "}") close += 1;
	return close;
}

function toValuePart(inner: string): FormatPart {
	const equals = inner.indexOf("=");
	const name = (equals === -1 ? inner : inner.slice(0, equals)).trim();
	if (!parameterNamePattern.test(name)) {
		throw new SvcError(
			"SVC_INVALID",
			`"{{${shorten(inner)}}}" must be {{ name }} or {{ name=default }}; names consist of letters, digits and _`,
		);
	}
	return { kind: "value", name, fallback: equals === -1 ? undefined : toValue(readCommand(inner.slice(equals + 1))) };
}

function shorten(text: string): string {
	return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
