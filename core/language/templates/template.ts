import type { JsonValue } from "../../contract/index.ts";
import { withWorkBudget } from "../work-budget.ts";
import { Budget, defaultLimits, type TemplateLimits } from "./budget.ts";
import { Evaluator } from "./evaluator.ts";
import { findReferences, type TemplateReferences } from "./references.ts";
import { Renderer } from "./renderer.ts";
import { type TemplateScope, Variables } from "./scope.ts";
import type { Expression } from "./syntax.ts";
import { parseTemplate, singleExpression } from "./template-parser.ts";
import { toJson } from "./values.ts";

/** Compiled template, which can be rendered any number of times. */
export interface Template {
	readonly references: TemplateReferences;
	/** Name of the variable if the whole template is `{{ name }}`, with any spacing. */
	readonly variable: string | undefined;
	/** Name of the last filter if the whole template is one expression that ends in a filter. */
	readonly lastFilter: string | undefined;
	/** Renders the template. Throws `TemplateError` if a value is undefined or of the wrong type, or if a limit is exceeded. */
	render(scope: TemplateScope): string;
	/** Returns the typed value if the whole template is one `{{ expression }}`, otherwise the rendered string. */
	renderNative(scope: TemplateScope): JsonValue;
}

/** Returns true if a string may contain an expression or a statement. */
export function isTemplate(text: string): boolean {
	return text.includes("{{") || text.includes("{%");
}

/** Bounds of the cache of compiled templates: characters of a cached template, and number of entries. */
const cacheLimits = { length: 10_000, entries: 2_000 };
const templateCache = new Map<string, Template>();

/**
 * Compiles a template. Throws `TemplateSyntaxError` if it is not valid, so that the caller can use the string literally. Throws
 * `TemplateError` if it is nested too deeply or has too many tokens.
 */
export function compileTemplate(text: string, limits: TemplateLimits = defaultLimits): Template {
	if (!text.includes("{")) return literalTemplate(text);
	if (limits !== defaultLimits || text.length > cacheLimits.length) return compile(text, limits);
	let template = templateCache.get(text);
	if (template === undefined) {
		template = compile(text, limits);
		if (templateCache.size >= cacheLimits.entries) templateCache.delete(templateCache.keys().next().value as string);
		templateCache.set(text, template);
	}
	return template;
}

function compile(text: string, limits: TemplateLimits): Template {
	if (!isTemplate(text) && !text.includes("{#")) return literalTemplate(text);
	const statements = parseTemplate(text, limits.depth);
	const references = findReferences(statements, 2 * limits.depth);
	const expression = singleExpression(statements);
	const render = (scope: TemplateScope) =>
		withWorkBudget(() => new Renderer(new Evaluator(scope, new Budget(limits))).render(statements, new Variables()));
	return {
		references,
		variable: expression?.kind === "path" && expression.keys.length === 0 ? expression.name : undefined,
		lastFilter: expression?.kind === "filter" ? expression.filter.name : undefined,
		render,
		renderNative: (scope) => (expression === undefined ? render(scope) : evaluate(expression, scope, limits)),
	};
}

function literalTemplate(text: string): Template {
	return { references: { names: [] }, variable: undefined, lastFilter: undefined, render: () => text, renderNative: () => text };
}

function evaluate(expression: Expression, scope: TemplateScope, limits: TemplateLimits): JsonValue {
	return withWorkBudget(() => {
		const budget = new Budget(limits);
		return toJson(new Evaluator(scope, budget).evaluate(expression, new Variables()), 0, budget);
	});
}
