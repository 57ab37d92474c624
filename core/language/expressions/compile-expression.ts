import { type ExpressionLanguage, toErrorMessage } from "../../contract/index.ts";
import { defaultLimits } from "../templates/budget.ts";
import { TemplateError } from "../templates/errors.ts";
import { TooManyTokens } from "../token-limit.ts";
import { Context } from "../yaql/context.ts";
import { settle } from "../yaql/conversions.ts";
import { YaqlSyntaxError } from "../yaql/errors.ts";
import { parseYaql } from "../yaql/parser.ts";
import type { Expression } from "../yaql/syntax.ts";
import type { CompiledExpression } from "./compiled-expression.ts";
import { compileJinja } from "./jinja.ts";
import { UnreadableExpression } from "./unreadable-expression.ts";
import { findYaqlUses } from "./yaql-uses.ts";

/** Longest expression, or text with statements, that is read at all. */
const longest = 200_000;

/** Longest expression that is kept compiled, and how many are. */
const cacheLimits = { length: 10_000, entries: 2_000 };
const cache = new Map<string, CompiledExpression>();

/** Read an expression with its delimiters, or a text that is a template as a whole. */
export function compileExpression(language: ExpressionLanguage, text: string): CompiledExpression {
	if (text.length > longest) {
		const problem = `an expression has more than ${longest} characters`;
		return new UnreadableExpression(new TemplateError(problem), problem);
	}
	const compile = language === "yaql" ? compileYaql : compileJinja;
	if (text.length > cacheLimits.length) return compile(text, defaultLimits.depth);
	const key = `${language}:${text}`;
	let compiled = cache.get(key);
	if (compiled === undefined) {
		compiled = compile(text, defaultLimits.depth);
		if (cache.size >= cacheLimits.entries) cache.delete(cache.keys().next().value as string);
		cache.set(key, compiled);
	}
	return compiled;
}

/** Read `<% … %>`. */
function compileYaql(text: string, maximumDepth: number): CompiledExpression {
	let expression: Expression;
	try {
		expression = parseYaql(text.slice(2, -2).trim(), maximumDepth);
	} catch (error) {
		// It says nothing about this expression, which is kept.
		if (error instanceof TooManyTokens) throw error;
		if (error instanceof YaqlSyntaxError || error instanceof TemplateError) return new UnreadableExpression(error, toErrorMessage(error));
		throw error;
	}
	return {
		...findYaqlUses(expression),
		evaluate: ({ yaql, budget }) => settle(yaql.evaluate(expression, new Context()), budget),
	};
}
