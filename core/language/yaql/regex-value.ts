import type { BoundedRegExp } from "../bounded-regexp.ts";
import { InternalValue } from "./internal-value.ts";

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
