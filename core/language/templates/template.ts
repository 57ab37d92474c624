import type { JsonValue } from "../../contract/index.ts";
import { TokenCounter } from "../token-limit.ts";
import { asOneWork } from "../work-budget.ts";
import { Budget, defaultLimits, type TemplateLimits } from "./budget.ts";
import { TemplateSyntaxError } from "./errors.ts";
import { Evaluator, Variables } from "./evaluator.ts";
import { parseExpressionList } from "./expression-parser.ts";
import { toSegments } from "./lexer.ts";
import { findReferences, type References } from "./references.ts";
import { Renderer } from "./renderer.ts";
import type { TemplateScope } from "./scope.ts";
import type { Expression, Statement } from "./syntax.ts";
import { parseTemplate } from "./template-parser.ts";
import { TokenReader } from "./token-reader.ts";
import { toJson } from "./values.ts";

/** A text with templates, ready to be rendered any number of times. */
export interface Template {
	readonly references: References;
	/** The name when the whole text is `{{ name }}`, with any spacing. */
	readonly variable: string | undefined;
	/** Name of the last filter when the whole text is one expression that ends in a filter. */
	readonly lastFilter: string | undefined;
	/** The text. `TemplateError` when something is undefined, of the wrong type or beyond a limit. */
	render(scope: TemplateScope): string;
	/** The value with its type when the whole text is one `{{ expression }}`, else the text. */
	renderNative(scope: TemplateScope): JsonValue;
}

/** Whether a text holds an expression or a statement. */
export function isTemplate(text: string): boolean {
	return text.includes("{{") || text.includes("{%");
}

/** Longest text that is kept compiled, and how many are. */
const cacheLimits = { length: 10_000, entries: 2_000 };
const cache = new Map<string, Template>();

/**
 * Compile a text. `TemplateSyntaxError` when it is no template, so that the caller can use it literally; `TemplateError` when
 * it is one that is nested too deeply.
 */
export function compileTemplate(text: string, limits: TemplateLimits = defaultLimits): Template {
	if (!text.includes("{")) return literalTemplate(text);
	if (limits !== defaultLimits || text.length > cacheLimits.length) return compile(text, limits);
	let template = cache.get(text);
	if (template === undefined) {
		template = compile(text, limits);
		if (cache.size >= cacheLimits.entries) cache.delete(cache.keys().next().value as string);
		cache.set(text, template);
	}
	return template;
}

/** The value of an expression, without braces around it. */
export function evaluateExpression(text: string, scope: TemplateScope, limits: TemplateLimits = defaultLimits): JsonValue {
	return evaluate(parseWhole(text, limits, new TokenCounter("expression")), scope, limits);
}

function parseWhole(text: string, limits: TemplateLimits, counter: TokenCounter): Expression {
	const [segment, ...rest] = toSegments(`{{ ${text} }}`, counter);
	if (segment?.kind !== "expression" || rest.length > 0) throw new TemplateSyntaxError("one expression is needed", 1);
	const reader = new TokenReader(segment.tokens, segment.line, limits.depth);
	const expression = parseExpressionList(reader);
	reader.expectEnd();
	findReferences([{ kind: "output", expression }], 2 * limits.depth);
	return expression;
}

function compile(text: string, limits: TemplateLimits): Template {
	if (!isTemplate(text) && !text.includes("{#")) return literalTemplate(text);
	const statements = parseTemplate(text, limits.depth);
	const references = findReferences(statements, 2 * limits.depth);
	const expression = wholeExpression(statements);
	const render = (scope: TemplateScope) =>
		asOneWork(() => new Renderer(new Evaluator(scope, new Budget(limits))).render(statements, new Variables()));
	return {
		references,
		variable: expression?.kind === "path" && expression.keys.length === 0 ? expression.name : undefined,
		lastFilter: expression?.kind === "filter" ? expression.filter.name : undefined,
		render,
		renderNative: (scope) => (expression === undefined ? render(scope) : evaluate(expression, scope, limits)),
	};
}

function literalTemplate(text: string): Template {
	return { references: { names: [], paths: [] }, variable: undefined, lastFilter: undefined, render: () => text, renderNative: () => text };
}

function wholeExpression(statements: readonly Statement[]): Expression | undefined {
	const [only] = statements;
	return statements.length === 1 && only?.kind === "output" ? only.expression : undefined;
}

function evaluate(expression: Expression, scope: TemplateScope, limits: TemplateLimits): JsonValue {
	return asOneWork(() => {
		const budget = new Budget(limits);
		return toJson(new Evaluator(scope, budget).evaluate(expression, new Variables()), 0, budget);
	});
}
