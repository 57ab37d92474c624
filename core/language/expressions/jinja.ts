import type { Evaluator } from "../templates/evaluator.ts";
import { globalFunctions } from "../templates/globals.ts";
import { findReferences } from "../templates/references.ts";
import { Renderer } from "../templates/renderer.ts";
import { Variables } from "../templates/scope.ts";
import type { ArgumentExpressions, Expression, Statement } from "../templates/syntax.ts";
import { parseTemplate, singleExpression } from "../templates/template-parser.ts";
import { requireDefined, Undefined, type Value } from "../templates/values.ts";
import type { CompiledExpression } from "./compiled-expression.ts";
import { UnresolvedError } from "./errors.ts";
import { type ExpressionUses, isContext, UseCollector } from "./use-collector.ts";

/**
 * Compiles an expression of the form `{{ … }}`, or a template with statements. Throws `TemplateSyntaxError` or `TemplateError` if it cannot
 * be parsed.
 */
export function compileJinja(text: string, maximumDepth: number): CompiledExpression {
	const statements = parseTemplate(text, maximumDepth);
	const { functions, ...uses } = findUses(statements, 2 * maximumDepth);
	const expression = singleExpression(statements);
	return {
		...uses,
		functions: functions.filter((name) => !globalFunctions.has(name)),
		evaluate({ jinja }) {
			if (expression === undefined) return new Renderer(jinja).render(statements, new Variables());
			return evaluate(jinja, expression, text);
		},
	};
}

function evaluate(evaluator: Evaluator, expression: Expression, text: string): Value {
	const value = evaluator.evaluateOptional(expression, new Variables());
	if (value instanceof Undefined)
		throw new UnresolvedError(`There are unresolved variables: ${text.slice(2, -2).replace(/^-|-$/g, "").trim()}`);
	return requireDefined(value);
}

/** Returns the variables that a template always reads, and its calls. */
function findUses(statements: readonly Statement[], maximumDepth: number): ExpressionUses {
	const uses = new UseCollector();
	/** Inputs of `default` filters and `defined` tests, which may name a variable that does not exist. */
	const guardedInputs = new Set<Expression>();
	// Expressions are visited from the outside in, so the inputs of guards are known when they are visited.
	findReferences(statements, maximumDepth, (expression) => {
		switch (expression.kind) {
			case "filter":
				uses.addCall("filter", expression.filter.name);
				if (/^(?:d|default)$/.test(expression.filter.name)) guardedInputs.add(expression.input);
				return;
			case "test":
				uses.addCall("test", expression.test.name);
				if (/^(?:un)?defined$/.test(expression.test.name)) guardedInputs.add(expression.input);
				return;
			case "method":
				return uses.addCall("method", expression.name);
			case "call":
				uses.addCall("function", expression.name);
				if (expression.name === "ctx") uses.addVariable(keyArgument(expression.arguments));
				return;
			case "member":
				if (isContext(expression.object) && !guardedInputs.has(expression)) uses.addVariable(textOf(expression.key));
		}
	});
	return uses.toUses();
}

/** Returns the name in `ctx('name')`; undefined if it is computed or absent. */
function keyArgument({ positional, named }: ArgumentExpressions): string | undefined {
	return textOf(positional[0] ?? named.find(([name]) => name === "key")?.[1]);
}

function textOf(expression: Expression | undefined): string | undefined {
	return expression?.kind === "constant" && typeof expression.value === "string" && expression.value !== "" ? expression.value : undefined;
}
