import { type ExpressionLanguage, toErrorMessage } from "../../contract/index.ts";
import { TooManyTokensError } from "../lexical-token-limit.ts";
import { defaultLimits } from "../templates/budget.ts";
import { TemplateError, TemplateSyntaxError } from "../templates/errors.ts";
import { Context } from "../yaql/context.ts";
import { toTemplateValue } from "../yaql/conversions.ts";
import { YaqlSyntaxError } from "../yaql/errors.ts";
import { parseYaql } from "../yaql/parser.ts";
import type { CompiledExpression } from "./compiled-expression.ts";
import { compileJinja } from "./jinja.ts";
import { findYaqlUses } from "./yaql-uses.ts";

/** Maximum characters of an expression, or of a template with statements, that is parsed. */
const maxExpressionLength = 200_000;

/** Bounds of the cache of compiled expressions: characters of a cached expression, and number of entries. */
const cacheLimits = { length: 10_000, entries: 2_000 };
const expressionCache = new Map<string, CompiledExpression>();

/**
 * Compiles an expression with its delimiters, or a string that is a template as a whole. If it cannot be parsed, evaluating the result
 * throws the syntax error. Throws `TooManyTokensError` if the budget of the current work is used up.
 */
export function compileExpression(language: ExpressionLanguage, text: string): CompiledExpression {
	if (text.length > maxExpressionLength)
		return toInvalidExpression(new TemplateError(`an expression has more than ${maxExpressionLength} characters`));
	if (text.length > cacheLimits.length) return compile(language, text);
	const key = `${language}:${text}`;
	let expression = expressionCache.get(key);
	if (expression === undefined) {
		expression = compile(language, text);
		if (expressionCache.size >= cacheLimits.entries) expressionCache.delete(expressionCache.keys().next().value as string);
		expressionCache.set(key, expression);
	}
	return expression;
}

function compile(language: ExpressionLanguage, text: string): CompiledExpression {
	try {
		return language === "yaql" ? compileYaql(text, defaultLimits.depth) : compileJinja(text, defaultLimits.depth);
	} catch (error) {
		// The limit applies to all expressions together, so the error must not be cached for this one.
		if (error instanceof TooManyTokensError) throw error;
		if (error instanceof YaqlSyntaxError || error instanceof TemplateSyntaxError || error instanceof TemplateError)
			return toInvalidExpression(error);
		throw error;
	}
}

/** Compiles an expression of the form `<% … %>`. */
function compileYaql(text: string, maximumDepth: number): CompiledExpression {
	const expression = parseYaql(text.slice(2, -2).trim(), maximumDepth);
	return {
		...findYaqlUses(expression),
		evaluate: ({ yaql, budget }) => toTemplateValue(yaql.evaluate(expression, new Context()), budget),
	};
}

/** Returns an expression whose evaluation throws the error with which parsing it failed. */
function toInvalidExpression(error: Error): CompiledExpression {
	return {
		problem: toErrorMessage(error),
		variables: [],
		functions: [],
		calls: [],
		evaluate() {
			throw error;
		},
	};
}
