import { SvcError, toErrorMessage } from "../../../core/contract/index.ts";
import { type BoundedRegExp, createBoundedRegExp, parameterNamePattern } from "../../../core/feature.ts";
import { type Command, type CommandText, readCommand, sliceCommand } from "./command-text.ts";
import { splitFlags, toFixedPrefix, toLiteralPattern } from "./literal-pattern.ts";
import { splitTrailingPairs } from "./trailing-pairs.ts";
import { quotedPattern, toValue } from "./value-text.ts";

/** Values by parameter name. */
export type CommandValues = Readonly<Record<string, string>>;

/** Compiled format of an action alias, which can be matched against any number of commands. */
export interface AliasFormat {
	/** Names of the parameters that the format sets. */
	readonly names: readonly string[];
	/**
	 * Returns the values that a command contains, or undefined if it does not match. A format with `isMultiple` returns one entry for each
	 * match, any other format exactly one. Throws `SVC_INVALID` if the search takes too long.
	 */
	read(command: Command): readonly CommandValues[] | undefined;
}

/** Prefix of the regular-expression group names that are generated for placeholders. */
const groupPrefix = "svc_value_";

/**
 * Compiles a format. Throws `SVC_INVALID` if it is not valid; the message names the problem.
 *
 * @param isMultiple true if the format may match anywhere in a command, and several times
 */
export function createAliasFormat(format: string, isMultiple = false): AliasFormat {
	const parts = toFormatParts(format);
	const [first] = parts;
	const { text, flags } = splitFlags(first?.kind === "text" ? first.text : "");
	const partsWithoutFlags = first?.kind === "text" ? [{ kind: "text", text } as const, ...parts.slice(1)] : parts;
	const expression = toExpression(partsWithoutFlags, [...new Set(`dgs${flags}`)].join(""), isMultiple);
	const hasNoFixedPrefix =
		isMultiple || flags.includes("m") || partsWithoutFlags.some((piece) => piece.kind === "text" && piece.text.includes("|"));
	return new CompiledFormat(partsWithoutFlags, expression, {
		isMultiple,
		fixedPrefix: hasNoFixedPrefix ? "" : toFixedPrefix(text).toLowerCase(),
	});
}

interface MatchOptions {
	readonly isMultiple: boolean;
	/**
	 * Lower-case prefix of every matching command; empty if it is unknown. It is compared first, because a search costs a hundred times as
	 * much.
	 */
	readonly fixedPrefix: string;
}

class CompiledFormat implements AliasFormat {
	readonly names: readonly string[];
	readonly #parts: readonly FormatPart[];
	readonly #expression: BoundedRegExp;
	readonly #options: MatchOptions;
	/** Keys that the format contains literally, as in `size={{ size }}`. */
	readonly #keys: ReadonlySet<string>;

	constructor(parts: readonly FormatPart[], expression: BoundedRegExp, options: MatchOptions) {
		this.#parts = parts;
		this.#expression = expression;
		this.#options = options;
		this.names = [...new Set(parts.flatMap((part) => (part.kind === "value" ? part.name : [])))];
		this.#keys = new Set(
			parts.flatMap((part) => (part.kind === "text" ? [...part.text.matchAll(/([\w.-]+)\s*=/g)].map(([, key]) => key ?? "") : [])),
		);
	}

	read(wholeCommand: Command): readonly CommandValues[] | undefined {
		const { isMultiple, fixedPrefix } = this.#options;
		if (!wholeCommand.normalizedText.startsWith(fixedPrefix)) return undefined;
		const { command, pairs } = splitTrailingPairs(wholeCommand, this.#keys);
		const matches = this.#expression.detailedMatches(command.plain).filter(([whole]) => whole !== "");
		if (matches.length === 0) return undefined;
		return (isMultiple ? matches : matches.slice(0, 1)).map((match) => ({ ...this.#valuesOf(match, command), ...pairs }));
	}

	#valuesOf(match: RegExpExecArray, command: CommandText): CommandValues {
		const values = new Map<string, string>();
		for (const [group, span] of Object.entries(match.indices?.groups ?? {})) {
			if (span === undefined) continue;
			const value = toValue(sliceCommand(command, ...span));
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
		throw new SvcError("SVC_INVALID", `must be a regular expression: ${toErrorMessage(error)}`, { cause: error });
	}
}

interface PatternContext {
	readonly parts: readonly FormatPart[];
	readonly isMultiple: boolean;
}

function toPattern(part: FormatPart, index: number, { parts, isMultiple }: PatternContext): string {
	if (part.kind === "text") {
		const { before, after } = boundsWithoutOptionalBlanks(part.text, parts, index);
		return toLiteralPattern(part.text.slice(before, after));
	}
	const value = `(?<${groupPrefix}${index}>${quotedPattern}|\\{[^]*?\\}|${isMultiple ? "\\S+" : "\\S[^]*?"})`;
	if (part.fallback === undefined) return value;
	if (endsWithBlank(parts[index - 1])) return `(?:\\s+${value})?`;
	return index === 0 && startsWithBlank(parts[index + 1]) ? `(?:${value}\\s+)?` : `(?:${value})?`;
}

/**
 * Returns the bounds of a literal without the white space next to an optional value: that white space is optional together with the value.
 */
function boundsWithoutOptionalBlanks(text: string, parts: readonly FormatPart[], index: number) {
	const isOptional = (part: FormatPart | undefined) => part?.kind === "value" && part.fallback !== undefined;
	const after = isOptional(parts[index + 1]) && endsWithBlank(parts[index]) ? text.trimEnd().length : text.length;
	const before = index === 1 && isOptional(parts[0]) && after > 0 ? text.length - text.trimStart().length : 0;
	return { before: Math.min(before, after), after };
}

function endsWithBlank(part: FormatPart | undefined): boolean {
	return part?.kind === "text" && /(?:^|[^\\])\s+$/.test(part.text);
}

function startsWithBlank(part: FormatPart | undefined): boolean {
	return part?.kind === "text" && /^\s/.test(part.text);
}

/** Part of a format: a literal, which is a regular expression, or a placeholder for a value. */
type FormatPart =
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "value"; readonly name: string; readonly fallback: string | undefined };

/** Maximum characters and placeholders of a format. */
const formatLimits = { length: 2_000, values: 50 };

/** Splits a format into its parts. Throws `SVC_INVALID` if it is not valid; the message names the problem. */
function toFormatParts(format: string): readonly FormatPart[] {
	if (format.trim() === "") throw new SvcError("SVC_INVALID", "must not be empty");
	if (format.length > formatLimits.length) {
		throw new SvcError("SVC_INVALID", `must have at most ${formatLimits.length} characters, got ${format.length}`);
	}
	const parts: FormatPart[] = [];
	let position = 0;
	for (let open = format.indexOf("{{"); open !== -1; open = format.indexOf("{{", position)) {
		const close = findClose(format, open + 2);
		if (close === undefined) throw new SvcError("SVC_INVALID", `"${shorten(format.slice(open))}" has no closing }}`);
		if (open > position) parts.push({ kind: "text", text: format.slice(position, open) });
		parts.push(toValuePart(format.slice(open + 2, close)));
		position = close + 2;
	}
	if (position < format.length) parts.push({ kind: "text", text: format.slice(position) });
	if (parts.filter(({ kind }) => kind === "value").length > formatLimits.values) {
		throw new SvcError("SVC_INVALID", `must contain at most ${formatLimits.values} values in {{ }}`);
	}
	return parts;
}

/**
 * Returns the position of the `}}` that closes a placeholder, or undefined. If three braces follow each other, the first one belongs to the
 * default value, as in `{{ options={}}}`.
 */
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
