import { toErrorMessage } from "../../contract/index.ts";
import { TooManyTokensError } from "../lexical-token-limit.ts";
import { TemplateError, TemplateSyntaxError } from "../templates/errors.ts";
import { type Evaluator, Variables } from "../templates/evaluator.ts";
import { globalNames } from "../templates/globals.ts";
import { findReferences } from "../templates/references.ts";
import { Renderer } from "../templates/renderer.ts";
import type { Expression, Statement } from "../templates/syntax.ts";
import { parseTemplate } from "../templates/template-parser.ts";
import { requireDefined, Undefined, type Value } from "../templates/values.ts";
import type { CompiledExpression } from "./compiled-expression.ts";
import { UnresolvedError } from "./errors.ts";
import { SyntaxErrorExpression } from "./syntax-error-expression.ts";
import { type Call, CallCollector } from "./unknown-calls.ts";
import type { UsedNames } from "./yaql-uses.ts";

/** Compiles an expression of the form `{{ … }}`, or a template with statements. */
export function compileJinja(text: string, maximumDepth: number): CompiledExpression {
	let statements: readonly Statement[];
	const uses = new JinjaUseCollector();
	try {
		statements = parseTemplate(text, maximumDepth);
		findReferences(statements, 2 * maximumDepth, (expression) => uses.visit(expression));
	} catch (error) {
		// The limit applies to all expressions together, so the error must not be cached for this one.
		if (error instanceof TooManyTokensError) throw error;
		if (error instanceof TemplateSyntaxError || error instanceof TemplateError)
			return new SyntaxErrorExpression(error, toErrorMessage(error));
		throw error;
	}
	const [onlyStatement] = statements;
	const expression = statements.length === 1 && onlyStatement?.kind === "output" ? onlyStatement.expression : undefined;
	return {
		variables: [...uses.variables],
		functions: [...uses.functions].filter((name) => !globalNames.includes(name)),
		calls: uses.calls,
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

/**
 * Collects the variables that an expression always reads, and the functions that it calls. Expressions must be visited from the outside in.
 */
class JinjaUseCollector implements UsedNames {
	readonly #variables = new Set<string>();
	readonly #functions = new Set<string>();
	readonly #calls = new CallCollector();
	/** Inputs of `default` filters and `defined` tests, which may name a variable that does not exist. */
	readonly #guardedInputs = new Set<Expression>();

	get calls(): readonly Call[] {
		return this.#calls.list;
	}

	get variables(): readonly string[] {
		return [...this.#variables];
	}

	get functions(): readonly string[] {
		return [...this.#functions];
	}

	visit(expression: Expression): void {
		if (expression.kind === "filter" && /^(?:d|default)$/.test(expression.filter.name)) this.#guardedInputs.add(expression.input);
		if (expression.kind === "test" && /^(?:un)?defined$/.test(expression.test.name)) this.#guardedInputs.add(expression.input);
		if (expression.kind === "call") this.#functions.add(expression.name);
		addCall(this.#calls, expression);
		const isGuarded = expression.kind === "member" && this.#guardedInputs.has(expression);
		const variable = isGuarded ? undefined : variableOf(expression);
		if (variable !== undefined) this.#variables.add(variable);
	}
}

/** Adds the call of the expression itself. The visitor adds the calls of inner expressions. */
function addCall(calls: CallCollector, expression: Expression): void {
	if (expression.kind === "call") calls.add("function", expression.name);
	if (expression.kind === "method") calls.add("method", expression.name);
	if (expression.kind === "filter") calls.add("filter", expression.filter.name);
	if (expression.kind === "test") calls.add("test", expression.test.name);
}

/** Returns the name in `ctx('name')`, `ctx().name` and `ctx()['name']`; undefined for other expressions. */
function variableOf(expression: Expression): string | undefined {
	if (expression.kind === "member") return isContext(expression.object) ? textOf(expression.key) : undefined;
	if (expression.kind !== "call" || expression.name !== "ctx") return undefined;
	const { positional, named } = expression.arguments;
	return textOf(positional[0] ?? named.find(([name]) => name === "key")?.[1]);
}

function isContext(expression: Expression): boolean {
	return (
		expression.kind === "call" &&
		expression.name === "ctx" &&
		expression.arguments.positional.length === 0 &&
		expression.arguments.named.length === 0
	);
}

function textOf(expression: Expression | undefined): string | undefined {
	return expression?.kind === "constant" && typeof expression.value === "string" && expression.value !== "" ? expression.value : undefined;
}
