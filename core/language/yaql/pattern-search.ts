import type { Budget } from "../templates/budget.ts";
import { compilePythonRegExp, type PythonRegExpOptions } from "../templates/python-regexp.ts";
import { RegexValue } from "./regex-value.ts";

export function toPattern(source: string, options: PythonRegExpOptions = {}): RegexValue {
	return new RegexValue(compilePythonRegExp(source, { ...options, global: true, hasIndices: true }));
}

/** Returns the matches of a pattern in a string, with their positions. */
export function searchText(pattern: RegexValue | string, text: string, budget: Budget): readonly RegExpExecArray[] {
	budget.spendText(text.length);
	const { expression } = typeof pattern === "string" ? toPattern(pattern) : pattern;
	const matches = expression.detailedMatches(text);
	budget.spendSteps(matches.length);
	return matches;
}
