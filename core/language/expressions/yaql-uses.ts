import type { ArgumentExpressions, Expression } from "../yaql/syntax.ts";
import { type ExpressionUses, isContext, UseCollector } from "./use-collector.ts";

/** Returns the variables that an expression always reads, and its calls. */
export function findYaqlUses(expression: Expression): ExpressionUses {
	const uses = new UseCollector();
	const visit = (part: Expression) => {
		if (part.kind === "call") uses.addCall("function", part.name);
		if (part.kind === "method") uses.addCall("method", part.name);
		uses.addVariable(variableOf(part));
		for (const inner of operandsOf(part)) visit(inner);
	};
	visit(expression);
	return uses.toUses();
}

/** Returns the name in `ctx(name)`, `ctx().name` and `ctx()['name']`; undefined for other expressions. */
function variableOf(expression: Expression): string | undefined {
	switch (expression.kind) {
		case "call":
			if (expression.name !== "ctx") return undefined;
			return textOf(expression.arguments.positional[0] ?? expression.arguments.named.find(([name]) => textOf(name) === "key")?.[1]);
		case "property":
			return isContext(expression.object) ? expression.name : undefined;
		case "index": {
			const { positional } = expression.arguments;
			return isContext(expression.object) && positional.length === 1 ? textOf(positional[0]) : undefined;
		}
		default:
			return undefined;
	}
}

function textOf(expression: Expression | undefined): string | undefined {
	if (expression?.kind === "word") return expression.text;
	return expression?.kind === "constant" && typeof expression.value === "string" && expression.value !== "" ? expression.value : undefined;
}

function operandsOf(expression: Expression): readonly Expression[] {
	switch (expression.kind) {
		case "list":
			return expression.items;
		case "object":
			return expression.entries.flat();
		case "call":
			return argumentExpressions(expression.arguments);
		case "method":
		case "index":
			return [expression.object, ...argumentExpressions(expression.arguments)];
		case "property":
			return [expression.object];
		case "sign":
		case "not":
			return [expression.operand];
		case "and":
		case "or":
			return expression.operands;
		case "chain":
			return [expression.first, ...expression.rest.map(([, operand]) => operand)];
		case "arrow":
			return [expression.left, expression.right];
		default:
			return [];
	}
}

function argumentExpressions({ positional, named }: ArgumentExpressions): readonly Expression[] {
	return [...positional, ...named.flat()];
}
