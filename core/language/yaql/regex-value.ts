import type { BoundedRegExp } from "../bounded-regexp.ts";
import type { Budget } from "../templates/budget.ts";
import { compilePythonRegExp, type PythonRegExpOptions } from "../templates/python-regexp.ts";
import { InternalValue } from "./values.ts";

/** Regular expression that `regex` has created. */
export class RegexValue extends InternalValue {
	override readonly typeName = "regex";
	/** Expression with the flags for finding all matches and their positions. */
	readonly expression: BoundedRegExp;

	constructor(expression: BoundedRegExp) {
		super();
		this.expression = expression;
	}
}

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
