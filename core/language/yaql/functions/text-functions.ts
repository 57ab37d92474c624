import type { Budget } from "../../templates/budget.ts";
import { replace, strip } from "../../templates/text-operations.ts";
import { textOf } from "../conversions.ts";
import { YaqlError } from "../errors.ts";
import { isFloat, numberOf, stepping, type YaqlList, type YaqlValue } from "../values.ts";
import {
	any,
	defineBoth,
	defineFunction,
	defineMethod,
	flag,
	integer,
	list,
	nullable,
	numeric,
	object,
	optional,
	rest,
	text,
} from "./define-function.ts";

const characters = optional(nullable(text("chars")));
const separator = optional(nullable(text("separator")));

/** Functions of texts. Positions count code points, as in the reference. */
export const textFunctions = [
	defineBoth("len", [text("string")], ({ budget }, string) => toCodePoints(string, budget).length),
	defineFunction("str", [any("value")], ({ budget }, value) => textOf(value, budget)),
	defineFunction("concat", [rest(text("args"))], ({ budget }, texts) => joinTexts(texts, "", budget)),
	defineFunction("isString", [any("arg")], (_call, value) => typeof value === "string"),
	defineFunction("hex", [numeric("num")], (_call, number) => hexadecimal(number)),
	defineMethod("toUpper", [text("string")], ({ budget }, string) => counted(string, budget).toUpperCase()),
	defineMethod("toLower", [text("string")], ({ budget }, string) => counted(string, budget).toLowerCase()),
	defineMethod("trim", [text("string"), characters], (_call, string, chars) => strip(string, chars ?? undefined)),
	defineMethod("trimLeft", [text("string"), characters], (_call, string, chars) => strip(string, chars ?? undefined, "start")),
	defineMethod("trimRight", [text("string"), characters], (_call, string, chars) => strip(string, chars ?? undefined, "end")),
	defineBoth("norm", [nullable(text("string")), characters], (_call, string, chars) => {
		const stripped = string === null ? "" : strip(string, chars ?? undefined);
		return stripped === "" ? null : stripped;
	}),
	defineBoth("isEmpty", [nullable(text("string")), optional(flag("trim"), true), characters], (_call, string, trim, chars) => {
		if (string === null) return true;
		return (trim ? strip(string, chars ?? undefined) : string) === "";
	}),
	defineMethod("split", [text("string"), separator, optional(integer("maxSplits"), -1)], ({ budget }, string, by, most) =>
		split(counted(string, budget), by ?? null, most, budget),
	),
	defineMethod("rightSplit", [text("string"), separator, optional(integer("maxSplits"), -1)], ({ budget }, string, by, most) =>
		rightSplit(counted(string, budget), by ?? null, most, budget),
	),
	defineMethod("join", [list("sequence"), text("separator")], ({ budget }, sequence, by) => joinValues(sequence, by, budget)),
	defineMethod("join", [text("separator"), list("sequence")], ({ budget }, by, sequence) => joinValues(sequence, by, budget)),
	defineMethod(
		"replace",
		[text("string"), text("old"), text("new"), optional(integer("count"), -1)],
		({ budget }, string, old, by, count) => replace(string, old, by, { count, budget }),
	),
	defineMethod("replace", [text("string"), object("replacements"), optional(integer("count"), -1)], ({ budget }, string, by, count) =>
		Object.entries(by).reduce((result, [old, value]) => replace(result, old, textOf(value, budget), { count, budget }), string),
	),
	defineMethod("substring", [text("string"), integer("start"), optional(integer("length"), -1)], ({ budget }, string, start, length) => {
		const points = toCodePoints(string, budget);
		const begin = start < 0 ? start + points.length : start;
		return points.slice(begin, begin + (length < 0 ? points.length : length)).join("");
	}),
	defineMethod("indexOf", searched(), ({ budget }, string, sub, start, length) => indexOf({ string, sub, start, length }, "first", budget)),
	defineMethod("lastIndexOf", searched(), ({ budget }, string, sub, start, length) =>
		indexOf({ string, sub, start, length }, "last", budget),
	),
	defineMethod("toCharArray", [text("string")], ({ budget }, string) => toCodePoints(string, budget)),
	defineMethod("startsWith", [text("string"), rest(text("prefixes"))], (_call, string, prefixes) =>
		prefixes.some((prefix) => string.startsWith(prefix)),
	),
	defineMethod("endsWith", [text("string"), rest(text("suffixes"))], (_call, string, suffixes) =>
		suffixes.some((suffix) => string.endsWith(suffix)),
	),
];

function searched() {
	return [text("string"), text("sub"), optional(integer("start"), 0), optional(integer("length"))] as const;
}

export function toCodePoints(string: string, budget: Budget): string[] {
	budget.text(string.length);
	budget.step(string.length / 32);
	return [...string];
}

function counted(string: string, budget: Budget): string {
	budget.text(string.length);
	return string;
}

function joinTexts(texts: readonly string[], by: string, budget: Budget): string {
	budget.text(texts.reduce((sum, part) => sum + part.length + by.length, 0));
	return texts.join(by);
}

function joinValues(sequence: YaqlList, by: string, budget: Budget): string {
	const texts: string[] = [];
	let size = 0;
	for (const element of stepping(sequence, budget)) {
		const part = textOf(element, budget);
		size += part.length + by.length;
		// Known before all of them are made: they may be without end.
		budget.text(size <= budget.limits.output ? part.length : size);
		texts.push(part);
	}
	return joinTexts(texts, by, budget);
}

function split(string: string, by: string | null, most: number, budget: Budget): YaqlValue {
	if (by === "") throw new YaqlError("ValueError", "empty separator");
	const parts = by === null ? words(string) : string.split(by);
	budget.step(parts.length);
	if (most < 0 || parts.length <= most + 1) return parts;
	if (by !== null) return [...parts.slice(0, most), parts.slice(most).join(by)];
	let remaining = string.trimStart();
	for (const word of parts.slice(0, most)) remaining = remaining.slice(word.length).trimStart();
	return [...parts.slice(0, most), remaining];
}

function rightSplit(string: string, by: string | null, most: number, budget: Budget): YaqlValue {
	if (by === "") throw new YaqlError("ValueError", "empty separator");
	const parts = by === null ? words(string) : string.split(by);
	budget.step(parts.length);
	if (most < 0 || parts.length <= most + 1) return parts;
	const cut = parts.length - most;
	if (by !== null) return [parts.slice(0, cut).join(by), ...parts.slice(cut)];
	let remaining = string.trimEnd();
	for (const word of parts.slice(cut).reverse()) remaining = remaining.slice(0, remaining.length - word.length).trimEnd();
	return [remaining, ...parts.slice(cut)];
}

function words(string: string): string[] {
	return string.split(/\s+/).filter((word) => word !== "");
}

interface Searched {
	readonly string: string;
	readonly sub: string;
	readonly start: number;
	readonly length: number | undefined;
}

/** Where a part of a text is that begins and ends within the range; -1 when it is not there. */
function indexOf({ string, sub, start, length }: Searched, which: "first" | "last", budget: Budget): number {
	const points = toCodePoints(string, budget);
	const begin = Math.min(Math.max(start < 0 ? start + points.length : start, 0), points.length);
	const end = length === undefined || length < 0 ? points.length : Math.min(begin + length, points.length);
	const before = points.slice(0, begin).join("");
	const range = points.slice(begin, end).join("");
	const found = which === "first" ? range.indexOf(sub) : range.lastIndexOf(sub);
	return found < 0 ? -1 : [...before].length + [...range.slice(0, found)].length;
}

function hexadecimal(number: YaqlValue): string {
	if (isFloat(number)) throw new YaqlError("TypeError", "a float has no hexadecimal form");
	const value = numberOf(number) ?? 0;
	return `${value < 0 ? "-" : ""}0x${(value < 0 ? -value : value).toString(16)}`;
}
