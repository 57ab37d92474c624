import type { Budget } from "../../templates/budget.ts";
import { Context } from "../context.ts";
import { toYaqlText } from "../conversions.ts";
import { RegexValue, searchText, toPattern } from "../regex-value.ts";
import type { YaqlValue } from "../values.ts";
import { type CallContext, defineFunction, defineMethod, defineStreamMethod } from "./define-function.ts";
import { any, body, flag, integer, optional, pattern, text } from "./parameters.ts";

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
	defineFunction("isRegex", [any("value")], (_call, value) => value instanceof RegexValue),
	defineFunction("escapeRegex", [string], ({ budget }, source) => {
		budget.spendText(2 * source.length);
		return source.replace(/[-\\^$*+?.()|[\]{}#&~\s]/g, "\\$&");
	}),
	defineMethod("matches", [regexp, string], ({ budget }, expression, source) => searchText(expression, source, budget).length > 0),
	defineMethod("matches", [string, text("regexp")], ({ budget }, source, expression) => searchText(expression, source, budget).length > 0),
	defineMethod("search", [regexp, string, optional(body("selector"))], (call, expression, source, selector) => {
		const [match] = searchText(expression, source, call.budget);
		if (match === undefined) return null;
		return selector === undefined ? match[0] : selector(toMatchContext(match, source, call));
	}),
	defineStreamMethod("searchAll", [regexp, string, optional(body("selector"))], (call, expression, source, selector) => {
		const matches = searchText(expression, source, call.budget);
		return (function* () {
			for (const match of matches) yield selector === undefined ? match[0] : selector(toMatchContext(match, source, call));
		})();
	}),
	defineMethod("split", [regexp, string, optional(integer("maxSplit"), 0)], ({ budget }, expression, source, maxCount) =>
		split(expression, source, maxCount, budget),
	),
	defineMethod("split", [string, regexp, optional(integer("maxSplit"), 0)], ({ budget }, source, expression, maxCount) =>
		split(expression, source, maxCount, budget),
	),
	defineMethod("replace", [regexp, string, text("repl"), count], (call, expression, source, replacement, maxCount) =>
		replace(expression, source, maxCount, call, (match) => expand(replacement, match)),
	),
	defineMethod("replace", [string, regexp, text("repl"), count], (call, source, expression, replacement, maxCount) =>
		replace(expression, source, maxCount, call, (match) => expand(replacement, match)),
	),
	defineMethod("replaceBy", [regexp, string, body("repl"), count], (call, expression, source, toReplacement, maxCount) =>
		replace(expression, source, maxCount, call, (match) => toYaqlText(toReplacement(toMatchContext(match, source, call)), call.budget)),
	),
	defineMethod("replaceBy", [string, regexp, body("repl"), count], (call, source, expression, toReplacement, maxCount) =>
		replace(expression, source, maxCount, call, (match) => toYaqlText(toReplacement(toMatchContext(match, source, call)), call.budget)),
	),
];

/** Returns a context in which `$` is the match, `$2` its first group and `$name` a named group. Each has a value, a start and an end. */
function toMatchContext(match: RegExpExecArray, source: string, { context, budget }: CallContext): Context {
	budget.spendSteps(match.length);
	const groups = Array.from(match, (value: string | undefined, index): [string, YaqlValue] => [
		`$${index + 1}`,
		describeGroup(value, match.indices?.[index], source),
	]);
	const named = Object.entries(match.groups ?? {}).map(([name, value]: [string, string | undefined]): [string, YaqlValue] => [
		`$${name}`,
		describeGroup(value, match.indices?.groups?.[name], source),
	]);
	return new Context(context, new Map([...groups, ...named]));
}

function describeGroup(value: string | undefined, span: readonly [number, number] | undefined, source: string): YaqlValue {
	const position = (index: number | undefined) => (index === undefined ? -1 : [...source.slice(0, index)].length);
	return { value: value ?? null, start: position(span?.[0]), end: position(span?.[1]) };
}

/** Returns the parts between the matches, with the groups of each match between them. */
function split(expression: RegexValue, source: string, maxCount: number, budget: Budget): YaqlValue {
	const matches = searchText(expression, source, budget);
	const parts: YaqlValue[] = [];
	let end = 0;
	for (const match of maxCount > 0 ? matches.slice(0, maxCount) : matches) {
		parts.push(source.slice(end, match.index), ...Array.from(match.slice(1), (group: string | undefined) => group ?? null));
		end = match.index + match[0].length;
	}
	budget.spendSteps(parts.length);
	return [...parts, source.slice(end)];
}

function replace(
	expression: RegexValue,
	source: string,
	maxCount: number,
	{ budget }: CallContext,
	toReplacement: (match: RegExpExecArray) => string,
): string {
	const matches = searchText(expression, source, budget);
	const parts: string[] = [];
	let end = 0;
	let size = source.length;
	for (const match of maxCount > 0 ? matches.slice(0, maxCount) : matches) {
		const replacement = toReplacement(match);
		size += replacement.length;
		budget.spendText(size <= budget.limits.output ? replacement.length : size);
		parts.push(source.slice(end, match.index), replacement);
		end = match.index + match[0].length;
	}
	parts.push(source.slice(end));
	budget.spendText(size);
	return parts.join("");
}

/** Returns a replacement with `\1` and `\g<name>` replaced by the groups of the match. */
function expand(template: string, match: RegExpExecArray): string {
	return template.replace(
		/\\(?:(\d{1,2})|g<(?:(\d{1,2})|(\w+))>|([^]))/gu,
		(sequence: string, short?: string, number?: string, name?: string, escapedCharacter?: string) => {
			if (name !== undefined) return match.groups?.[name] ?? "";
			if (escapedCharacter !== undefined)
				return Object.hasOwn(replacementEscapes, escapedCharacter) ? (replacementEscapes[escapedCharacter] ?? sequence) : sequence;
			return match[Number(short ?? number)] ?? "";
		},
	);
}

const replacementEscapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\" };
