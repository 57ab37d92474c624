import type { Budget } from "../../templates/budget.ts";
import { limitParts, replace, splitText, strip } from "../../templates/text-operations.ts";
import { isFloat } from "../../templates/values.ts";
import { toYaqlText } from "../conversions.ts";
import { YaqlError } from "../errors.ts";
import { numberOf, withStepCost, type YaqlList, type YaqlValue } from "../values.ts";
import { defineBoth, defineFunction, defineMethod } from "./define-function.ts";
import { any, flag, integer, list, nullable, numeric, object, optional, rest, text } from "./parameters.ts";

const characters = optional(nullable(text("chars")));
const separator = optional(nullable(text("separator")));
const searchParameters = [text("string"), text("sub"), optional(integer("start"), 0), optional(integer("length"))] as const;

/** Functions of strings. Positions count code points, as in Python. */
export const textFunctions = [
	defineBoth("len", [text("string")], ({ budget }, string) => toCodePoints(string, budget).length),
	defineFunction("str", [any("value")], ({ budget }, value) => toYaqlText(value, budget)),
	defineFunction("concat", [rest(text("args"))], ({ budget }, texts) => joinTexts(texts, "", budget)),
	defineFunction("isString", [any("arg")], (_call, value) => typeof value === "string"),
	defineFunction("hex", [numeric("num")], (_call, number) => hexadecimal(number)),
	defineMethod("toUpper", [text("string")], ({ budget }, string) => withTextCost(string, budget).toUpperCase()),
	defineMethod("toLower", [text("string")], ({ budget }, string) => withTextCost(string, budget).toLowerCase()),
	defineMethod("trim", [text("string"), characters], (_call, string, chars) => strip(string, chars ?? undefined)),
	defineMethod("trimLeft", [text("string"), characters], (_call, string, chars) => strip(string, chars ?? undefined, "start")),
	defineMethod("trimRight", [text("string"), characters], (_call, string, chars) => strip(string, chars ?? undefined, "end")),
	defineBoth("norm", [nullable(text("string")), characters], (_call, string, chars) => {
		const strippedText = string === null ? "" : strip(string, chars ?? undefined);
		return strippedText === "" ? null : strippedText;
	}),
	defineBoth("isEmpty", [nullable(text("string")), optional(flag("trim"), true), characters], (_call, string, trim, chars) => {
		if (string === null) return true;
		return (trim ? strip(string, chars ?? undefined) : string) === "";
	}),
	defineMethod("split", [text("string"), separator, optional(integer("maxSplits"), -1)], ({ budget }, string, delimiter, maxSplits) =>
		split(withTextCost(string, budget), delimiter ?? null, maxSplits, budget),
	),
	defineMethod("rightSplit", [text("string"), separator, optional(integer("maxSplits"), -1)], ({ budget }, string, delimiter, maxSplits) =>
		rightSplit(withTextCost(string, budget), delimiter ?? null, maxSplits, budget),
	),
	defineMethod("join", [list("sequence"), text("separator")], ({ budget }, sequence, delimiter) => joinValues(sequence, delimiter, budget)),
	defineMethod("join", [text("separator"), list("sequence")], ({ budget }, delimiter, sequence) => joinValues(sequence, delimiter, budget)),
	defineMethod(
		"replace",
		[text("string"), text("old"), text("new"), optional(integer("count"), -1)],
		({ budget }, string, old, replacement, count) => replace(string, old, replacement, { count, budget }),
	),
	defineMethod(
		"replace",
		[text("string"), object("replacements"), optional(integer("count"), -1)],
		({ budget }, string, replacements, count) =>
			Object.entries(replacements).reduce(
				(result, [old, value]) => replace(result, old, toYaqlText(value, budget), { count, budget }),
				string,
			),
	),
	defineMethod("substring", [text("string"), integer("start"), optional(integer("length"), -1)], ({ budget }, string, start, length) => {
		const codePoints = toCodePoints(string, budget);
		const begin = start < 0 ? start + codePoints.length : start;
		return codePoints.slice(begin, begin + (length < 0 ? codePoints.length : length)).join("");
	}),
	defineMethod("indexOf", searchParameters, ({ budget }, string, sub, start, length) =>
		findIn(string, { start, length, budget }, (range) => range.indexOf(sub)),
	),
	defineMethod("lastIndexOf", searchParameters, ({ budget }, string, sub, start, length) =>
		findIn(string, { start, length, budget }, (range) => range.lastIndexOf(sub)),
	),
	defineMethod("toCharArray", [text("string")], ({ budget }, string) => toCodePoints(string, budget)),
	defineMethod("startsWith", [text("string"), rest(text("prefixes"))], (_call, string, prefixes) =>
		prefixes.some((prefix) => string.startsWith(prefix)),
	),
	defineMethod("endsWith", [text("string"), rest(text("suffixes"))], (_call, string, suffixes) =>
		suffixes.some((suffix) => string.endsWith(suffix)),
	),
];

export function toCodePoints(string: string, budget: Budget): string[] {
	budget.spendText(string.length);
	budget.spendSteps(string.length / 32);
	return [...string];
}

function withTextCost(string: string, budget: Budget): string {
	budget.spendText(string.length);
	return string;
}

function joinTexts(texts: readonly string[], delimiter: string, budget: Budget): string {
	budget.spendText(texts.reduce((sum, part) => sum + part.length + delimiter.length, 0));
	return texts.join(delimiter);
}

function joinValues(sequence: YaqlList, delimiter: string, budget: Budget): string {
	const texts: string[] = [];
	let size = 0;
	for (const element of withStepCost(sequence, budget)) {
		const part = toYaqlText(element, budget);
		size += part.length + delimiter.length;
		// The size is checked before all strings exist, because the list may be infinite.
		budget.spendText(size <= budget.limits.output ? part.length : size);
		texts.push(part);
	}
	return joinTexts(texts, delimiter, budget);
}

function split(string: string, delimiter: string | null, maxSplits: number, budget: Budget): YaqlValue {
	if (delimiter === "") throw new YaqlError("ValueError", "empty separator");
	const parts = splitText(string, delimiter);
	budget.spendSteps(parts.length);
	return limitParts(parts, maxSplits, { text: string, separator: delimiter });
}

function rightSplit(string: string, delimiter: string | null, maxSplits: number, budget: Budget): YaqlValue {
	if (delimiter === "") throw new YaqlError("ValueError", "empty separator");
	const parts = splitText(string, delimiter);
	budget.spendSteps(parts.length);
	if (maxSplits < 0 || parts.length <= maxSplits + 1) return parts;
	const headCount = parts.length - maxSplits;
	if (delimiter !== null) return [parts.slice(0, headCount).join(delimiter), ...parts.slice(headCount)];
	let remaining = string.trimEnd();
	for (const word of parts.slice(headCount).reverse()) remaining = remaining.slice(0, remaining.length - word.length).trimEnd();
	return [remaining, ...parts.slice(headCount)];
}

interface RangeOptions {
	readonly start: number;
	readonly length: number | undefined;
	readonly budget: Budget;
}

/** Returns the position, in the whole string, of what `search` finds in a range of it; -1 if it finds nothing. */
function findIn(string: string, { start, length, budget }: RangeOptions, search: (range: string) => number): number {
	const codePoints = toCodePoints(string, budget);
	const begin = Math.min(Math.max(start < 0 ? start + codePoints.length : start, 0), codePoints.length);
	const end = length === undefined || length < 0 ? codePoints.length : Math.min(begin + length, codePoints.length);
	const prefix = codePoints.slice(0, begin).join("");
	const rangeText = codePoints.slice(begin, end).join("");
	const index = search(rangeText);
	return index < 0 ? -1 : [...prefix].length + [...rangeText.slice(0, index)].length;
}

function hexadecimal(number: YaqlValue): string {
	if (isFloat(number)) throw new YaqlError("TypeError", "a float has no hexadecimal form");
	const value = numberOf(number) ?? 0;
	return `${value < 0 ? "-" : ""}0x${(value < 0 ? -value : value).toString(16)}`;
}
