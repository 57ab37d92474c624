import type { Arguments } from "../arguments.ts";
import { compilePythonRegExp, type PythonRegExpOptions } from "../python-regexp.ts";
import { typeName, type Value } from "../values.ts";
import type { Filter } from "./filter.ts";

/** Filters that take a regular expression. */
export const patternFilters: Readonly<Record<string, Filter>> = {
	regex_match: (input, args, { budget }) => {
		const text = textOf(input, args);
		budget.spendText(text.length);
		return patternOf(args, 1, { fromStart: true }).test(text);
	},
	regex_search: (input, args, { budget }) => {
		const text = textOf(input, args);
		budget.spendText(text.length);
		return patternOf(args, 1).test(text);
	},
	regex_replace: (input, args, { budget }) => {
		const text = textOf(input, args);
		budget.spendText(text.length);
		const pattern = patternOf(args, 2, { global: true });
		const { replacement, references } = toReplacement(args.text(1, "replacement"));
		const matches = pattern.matches(text).length;
		budget.spendSteps(matches);
		budget.spendText(text.length * (1 + references) + matches * replacement.length);
		return pattern.replace(text, replacement);
	},
	regex_substring: (input, args, { budget }) => {
		const text = textOf(input, args);
		budget.spendText(text.length);
		const matches = patternOf(args, 2, { global: true }).matches(text);
		budget.spendSteps(matches.length);
		const match = matches.at(args.integer(1, "result_index", 0));
		if (match === undefined) throw args.error("has no match with this index");
		const groups = match.slice(1).map((group) => group ?? "");
		return groups.length > 1 ? groups : (groups[0] ?? match[0] ?? "");
	},
};

function textOf(input: Value, args: Arguments): string {
	if (typeof input === "string") return input;
	throw args.error(`needs a string, not ${typeName(input)}`);
}

/** @param flagIndex position of the argument `ignorecase` */
function patternOf(args: Arguments, flagIndex: number, options: PythonRegExpOptions = {}) {
	return compilePythonRegExp(args.text(0, "pattern"), { ...options, ignoreCase: args.flag(flagIndex, "ignorecase", false) });
}

const replacementEscapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\" };

/** Returns the replacement in JavaScript syntax, and the number of its references to groups. */
function toReplacement(text: string): { readonly replacement: string; readonly references: number } {
	let references = 0;
	const replacement = text.replace(
		/\\(?:(\d{1,2})|g<(?:(\d{1,2})|(\w+))>|([^]))|\$/gu,
		(match: string, short?: string, number?: string, name?: string, escapedCharacter?: string) => {
			if (match === "$") return "$$";
			if (escapedCharacter !== undefined) return escapedCharacter === "$" ? "\\$$" : (replacementEscapes[escapedCharacter] ?? match);
			references++;
			if (name !== undefined) return `$<${name}>`;
			const group = Number(short ?? number);
			return group === 0 ? "$&" : `$${String(group).padStart(2, "0")}`;
		},
	);
	return { replacement, references };
}
