import type { BoundedRegExp } from "../bounded-reg-exp.ts";

/** A regular expression that `regex` has made. */
export class Pattern {
	readonly typeName = "regex";
	/** Finds all matches. */
	readonly expression: BoundedRegExp;

	constructor(expression: BoundedRegExp) {
		this.expression = expression;
	}
}
