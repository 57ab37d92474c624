import type { Value } from "../templates/values.ts";
import type { Evaluation } from "./evaluation.ts";
import type { Call } from "./unknown-calls.ts";

/** An expression that has been read. */
export interface CompiledExpression {
	/** Why it cannot be evaluated. */
	readonly problem?: string;
	readonly variables: readonly string[];
	readonly functions: readonly string[];
	/** Everything that it calls by name. */
	readonly calls: readonly Call[];
	/** Its value, never undefined. Throws what is wrong with it, also when that is its grammar. */
	evaluate(evaluation: Evaluation): Value;
}
