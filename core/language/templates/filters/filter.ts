import type { Arguments } from "../arguments.ts";
import type { Budget } from "../budget.ts";
import type { Value } from "../values.ts";

/** What a filter may use beside its input and arguments. */
export interface FilterContext {
	readonly budget: Budget;
	/** A member of a value, as expressions reach it: of a text that is JSON, where they read into it, a member of that. */
	memberOf(object: Value, key: Value): Value;
	/** Apply another filter or test by name, for filters that take one. */
	filter(name: string, input: Value, given: Arguments): Value;
	test(name: string, value: Value, given: Arguments): boolean;
	/** Clear text of a secret datastore item's text. */
	decrypt(cipherText: string): string;
}

/** Makes a new value of its input. Must not change the input and must account for what it makes. The input is never undefined. */
export type Filter = (input: Value, given: Arguments, context: FilterContext) => Value;
