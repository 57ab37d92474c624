import type { BoundedRegExp } from "../safe-regexp.ts";
import { InternalValue } from "./internal-value.ts";

/** A regular expression that `regex` has made. */
export class Pattern extends InternalValue {
	override readonly typeName = "regex";
	/** Finds all matches. */
	readonly expression: BoundedRegExp;

	constructor(expression: BoundedRegExp) {
		super();
		this.expression = expression;
	}
}
