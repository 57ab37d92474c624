import type { Budget } from "../../templates/budget.ts";
import { Context } from "../context.ts";
import { textOf } from "../conversions.ts";
import { Pattern } from "../pattern.ts";
import { searchText, toPattern } from "../pattern-search.ts";
import type { YaqlValue } from "../values.ts";
import { streamOf } from "./branching-functions.ts";
import { any, body, type Call, defineFunction, defineMethod, flag, integer, optional, pattern, text } from "./define-function.ts";

const regexp = pattern("regexp");
const string = text("string");
const count = optional(integer("count"), 0);

/** Functions of regular expressions. */
export const patternFunctions = [
	defineFunction(
		"regex",
		[text("pattern"), optional(flag("ignoreCase"), false), optional(flag("multiLine"), false), optional(flag("dotAll"), false)],
		(_call, source, ignoreCase, multiLine, dotAll) => toPattern(source, { ignoreCase, multiLine, dotAll }),
	),
	defineFunction("isRegex", [any("value")], (_call, value) => value instanceof Pattern),
	defineFunction("escapeRegex", [string], ({ budget }, source) => {
		budget.text(2 * source.length);
		return source.replace(/[-\\^$*+?.()|[\]{}#&~\s]/g, "\\$&");
	}),
	defineMethod("matches", [regexp, string], ({ budget }, expression, source) => searchText(expression, source, budget).length > 0),
	defineMethod("matches", [string, text("regexp")], ({ budget }, source, expression) => searchText(expression, source, budget).length > 0),
	defineMethod("search", [regexp, string, optional(body("selector"))], (call, expression, source, selector) => {
		const [found] = searchText(expression, source, call.budget);
		if (found === undefined) return null;
		return selector === undefined ? found[0] : selector(describe(found, source, call));
	}),
	defineMethod("searchAll", [regexp, string, optional(body("selector"))], (call, expression, source, selector) => {
		const all = searchText(expression, source, call.budget);
		return streamOf(function* () {
			for (const found of all) yield selector === undefined ? found[0] : selector(describe(found, source, call));
		});
	}),
	defineMethod("split", [regexp, string, optional(integer("maxSplit"), 0)], ({ budget }, expression, source, most) =>
		split(expression, source, most, budget),
	),
	defineMethod("split", [string, regexp, optional(integer("maxSplit"), 0)], ({ budget }, source, expression, most) =>
		split(expression, source, most, budget),
	),
	defineMethod("replace", [regexp, string, text("repl"), count], (call, expression, source, by, most) =>
		replace(expression, source, most, call, (found) => expand(by, found)),
	),
	defineMethod("replace", [string, regexp, text("repl"), count], (call, source, expression, by, most) =>
		replace(expression, source, most, call, (found) => expand(by, found)),
	),
	defineMethod("replaceBy", [regexp, string, body("repl"), count], (call, expression, source, make, most) =>
		replace(expression, source, most, call, (found) => textOf(make(describe(found, source, call)), call.budget)),
	),
	defineMethod("replaceBy", [string, regexp, body("repl"), count], (call, source, expression, make, most) =>
		replace(expression, source, most, call, (found) => textOf(make(describe(found, source, call)), call.budget)),
	),
];

/** `$` is the match, `$2` its first group, `$name` one that has a name: each with value, start and end. */
function describe(found: RegExpExecArray, source: string, { context, budget }: Call): Context {
	budget.step(found.length);
	const groups = Array.from(found, (value: string | undefined, index): [string, YaqlValue] => [
		`$${index + 1}`,
		describeGroup(value, found.indices?.[index], source),
	]);
	const named = Object.entries(found.groups ?? {}).map(([name, value]: [string, string | undefined]): [string, YaqlValue] => [
		`$${name}`,
		describeGroup(value, found.indices?.groups?.[name], source),
	]);
	return new Context(context, new Map([...groups, ...named]));
}

function describeGroup(value: string | undefined, place: readonly [number, number] | undefined, source: string): YaqlValue {
	const position = (index: number | undefined) => (index === undefined ? -1 : [...source.slice(0, index)].length);
	return { value: value ?? null, start: position(place?.[0]), end: position(place?.[1]) };
}

/** Parts between the matches, and the groups of these. */
function split(expression: Pattern, source: string, most: number, budget: Budget): YaqlValue {
	const all = searchText(expression, source, budget);
	const parts: YaqlValue[] = [];
	let end = 0;
	for (const found of most > 0 ? all.slice(0, most) : all) {
		parts.push(source.slice(end, found.index), ...Array.from(found.slice(1), (group: string | undefined) => group ?? null));
		end = found.index + found[0].length;
	}
	budget.step(parts.length);
	return [...parts, source.slice(end)];
}

function replace(expression: Pattern, source: string, most: number, { budget }: Call, make: (found: RegExpExecArray) => string): string {
	const all = searchText(expression, source, budget);
	const parts: string[] = [];
	let end = 0;
	let size = source.length;
	for (const found of most > 0 ? all.slice(0, most) : all) {
		const by = make(found);
		size += by.length;
		budget.text(size <= budget.limits.output ? by.length : size);
		parts.push(source.slice(end, found.index), by);
		end = found.index + found[0].length;
	}
	parts.push(source.slice(end));
	budget.text(size);
	return parts.join("");
}

/** A replacement in which `\1` and `\g<name>` are groups of the match. */
function expand(template: string, found: RegExpExecArray): string {
	return template.replace(
		/\\(?:(\d{1,2})|g<(?:(\d{1,2})|(\w+))>|([^]))/gu,
		(whole: string, short?: string, number?: string, name?: string, other?: string) => {
			if (name !== undefined) return found.groups?.[name] ?? "";
			if (other !== undefined) return Object.hasOwn(escapes, other) ? (escapes[other] ?? whole) : whole;
			return found[Number(short ?? number)] ?? "";
		},
	);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\" };
