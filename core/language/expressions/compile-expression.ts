import type { ExpressionLanguage } from "../../contract/index.ts";
import { defaultLimits } from "../templates/budget.ts";
import { TemplateError } from "../templates/errors.ts";
import type { CompiledExpression } from "./compiled-expression.ts";
import { compileJinja } from "./jinja.ts";
import { UnreadableExpression } from "./unreadable-expression.ts";
import { compileYaql } from "./yaql.ts";

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
