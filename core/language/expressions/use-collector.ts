import type { Expression as TemplateExpression } from "../templates/syntax.ts";
import type { Expression as YaqlExpression } from "../yaql/syntax.ts";
import type { CompiledExpression } from "./compiled-expression.ts";
import type { Call } from "./unknown-calls.ts";

/** Names that an expression reads and calls, each once. */
export type ExpressionUses = Pick<CompiledExpression, "variables" | "functions" | "calls">;

/** Collects the names that an expression reads and calls. */
export class UseCollector {
	readonly #variables = new Set<string>();
	readonly #calls = new Map<string, Call>();

	/** Adds a variable; undefined adds none. */
	addVariable(name: string | undefined): void {
		if (name !== undefined) this.#variables.add(name);
	}

	addCall(kind: Call["kind"], name: string): void {
		this.#calls.set(`${kind} ${name}`, { kind, name });
	}

	toUses(): ExpressionUses {
		const calls = [...this.#calls.values()];
		const functions = calls.filter(({ kind }) => kind === "function").map(({ name }) => name);
		return { variables: [...this.#variables], functions, calls };
	}
}

/** Returns true for `ctx()`, in either language. */
export function isContext(expression: TemplateExpression | YaqlExpression): boolean {
	if (expression.kind !== "call" || expression.name !== "ctx") return false;
	const { positional, named } = expression.arguments;
	return positional.length === 0 && named.length === 0;
}
