import type { Arguments } from "../arguments.ts";
import { compileTextPattern, type TextPatternOptions } from "../text-pattern.ts";
import { typeName, type Value } from "../values.ts";
import type { Filter } from "./filter.ts";

/** Filters that take a regular expression. */
export const patternFilters: Readonly<Record<string, Filter>> = {
	regex_match: (input, given, { budget }) => {
		const text = textOf(input, given);
		budget.text(text.length);
		return patternOf(given, 1, { fromStart: true }).test(text);
	},
	regex_search: (input, given, { budget }) => {
		const text = textOf(input, given);
		budget.text(text.length);
		return patternOf(given, 1).test(text);
	},
	regex_replace: (input, given, { budget }) => {
		const text = textOf(input, given);
		budget.text(text.length);
		const pattern = patternOf(given, 2, { global: true });
		const { replacement, references } = toReplacement(given.text(1, "replacement"));
		const matches = pattern.matches(text).length;
		budget.step(matches);
		budget.text(text.length * (1 + references) + matches * replacement.length);
		return pattern.replace(text, replacement);
	},
	regex_substring: (input, given, { budget }) => {
		const text = textOf(input, given);
		budget.text(text.length);
		const matches = patternOf(given, 2, { global: true }).matches(text);
		budget.step(matches.length);
		const match = matches.at(given.integer(1, "result_index", 0));
		if (match === undefined) throw given.error("finds no match of that index");
		const groups = match.slice(1).map((group) => group ?? "");
		return groups.length > 1 ? groups : (groups[0] ?? match[0] ?? "");
	},
};

function textOf(input: Value, given: Arguments): string {
	if (typeof input === "string") return input;
	throw given.error(`needs a text, not ${typeName(input)}`);
}

/** @param flagIndex where `ignorecase` stands */
function patternOf(given: Arguments, flagIndex: number, options: TextPatternOptions = {}) {
	return compileTextPattern(given.text(0, "pattern"), { ...options, ignoreCase: given.flag(flagIndex, "ignorecase", false) });
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\" };

/** A replacement as this language writes it, and how many times it refers to groups. */
function toReplacement(text: string): { readonly replacement: string; readonly references: number } {
	let references = 0;
	const replacement = text.replace(
		/\\(?:(\d{1,2})|g<(?:(\d{1,2})|(\w+))>|([^]))|\$/gu,
		(found: string, short?: string, number?: string, name?: string, escaped?: string) => {
			if (found === "$") return "$$";
			if (escaped !== undefined) return escaped === "$" ? "\\$$" : (escapes[escaped] ?? found);
			references++;
			if (name !== undefined) return `$<${name}>`;
			const group = Number(short ?? number);
			return group === 0 ? "$&" : `$${String(group).padStart(2, "0")}`;
		},
	);
	return { replacement, references };
}
