import { type Expressions, SvcError } from "../../contract/index.ts";

/** The expressions of one run. */
export function createRunExpressions(): Expressions {
	const refuse = (): never => {
		throw new SvcError("SVC_RUNNER", "expressions: not there yet");
	};
	return { find: refuse, evaluate: async () => refuse() };
}
