import type { CompiledExpression } from "./compiled-expression.ts";

/** What is no expression by its grammar. */
export class UnreadableExpression implements CompiledExpression {
	readonly problem: string;
	readonly variables: readonly string[] = [];
	readonly functions: readonly string[] = [];
	readonly calls = [];
	readonly #error: Error;

	constructor(error: Error, problem: string) {
		this.#error = error;
		this.problem = problem;
	}

	evaluate(): never {
		throw this.#error;
	}
}
