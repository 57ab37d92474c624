import { SvcError, toErrorMessage } from "../../contract/index.ts";
import { type BoundedRegExp, createBoundedRegExp } from "../safe-regexp.ts";
import { type Command, type CommandText, slice } from "./command-text.ts";
import { type FormatPart, toFormatParts } from "./format-parts.ts";
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
