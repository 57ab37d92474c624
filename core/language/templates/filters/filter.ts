import type { Arguments } from "../arguments.ts";
import type { Budget } from "../budget.ts";
import { Undefined, type Value } from "../values.ts";

/** Services that a filter may use in addition to its input and arguments. */
export interface FilterContext {
	readonly budget: Budget;
	/** Returns a member like an expression does. If expressions can read members of JSON strings, `memberOf` does too. */
	memberOf(object: Value, key: Value): Value;
	/** Applies another filter by name. */
	applyFilter(name: string, input: Value, args: Arguments): Value;
	/** Applies a test by name. */
	applyTest(name: string, value: Value, args: Arguments): boolean;
	/** Returns the plaintext of a secret datastore item's ciphertext. */
	decrypt(cipherText: string): string;
}

/**
 * Function that computes a new value from its input, which is never an `Undefined`. It must not change the input, and must account for the
 * cost of its result.
 */
export type Filter = (input: Value, args: Arguments, context: FilterContext) => Value;

/** Returns a function that follows a dotted path such as `a.b.0`. It returns an `Undefined` if a member on the path does not exist. */
export function attributeGetter(path: Value, { memberOf }: Pick<FilterContext, "memberOf">): (value: Value) => Value {
	const keys: readonly Value[] = typeof path === "string" ? path.split(".").map((key) => (/^\d+$/.test(key) ? Number(key) : key)) : [path];
	return (value) => {
		let current = value;
		for (const key of keys) {
			if (current instanceof Undefined) return current;
			current = memberOf(current, key);
		}
		return current;
	};
}
