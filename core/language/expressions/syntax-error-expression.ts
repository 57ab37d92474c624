import type { CompiledExpression } from "./compiled-expression.ts";

/** Expression that does not follow the grammar of its language. Evaluating it throws the syntax error. */
export class SyntaxErrorExpression implements CompiledExpression {
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
