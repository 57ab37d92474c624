import type { Budget } from "../templates/budget.ts";
import { compileTextPattern, type TextPatternOptions } from "../templates/text-pattern.ts";
import { Pattern } from "./pattern.ts";

export function toPattern(source: string, options: TextPatternOptions = {}): Pattern {
	return new Pattern(compileTextPattern(source, { ...options, global: true, hasIndices: true }));
}

/** Returns the matches of a pattern in a string, with their positions. */
export function searchText(pattern: Pattern | string, text: string, budget: Budget): readonly RegExpExecArray[] {
	budget.spendText(text.length);
	const { expression } = typeof pattern === "string" ? toPattern(pattern) : pattern;
	const matches = expression.detailedMatches(text);
	budget.spendSteps(matches.length);
	return matches;
}
