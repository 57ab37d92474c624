import type { Value } from "../templates/values.ts";
import type { Evaluation } from "./evaluation.ts";
import type { Call } from "./unknown-calls.ts";

/** Expression that has been parsed. */
export interface CompiledExpression {
	/** Reason why the expression cannot be evaluated; absent if it can be parsed. */
	readonly problem?: string;
	/** Names of the variables that every evaluation of the expression reads. */
	readonly variables: readonly string[];
	/** Names of the functions that the expression calls. */
	readonly functions: readonly string[];
	/** Every function, method, filter and test that the expression calls by name. */
	readonly calls: readonly Call[];
	/** Returns the value, which is never undefined. Throws if the evaluation fails or the expression cannot be parsed. */
	evaluate(evaluation: Evaluation): Value;
}
