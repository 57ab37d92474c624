import { toErrorMessage } from "../../contract/index.ts";
import { TemplateError } from "../templates/errors.ts";
import { TooManyTokens } from "../token-limit.ts";
import { Context } from "../yaql/context.ts";
import { settle } from "../yaql/conversions.ts";
import { YaqlSyntaxError } from "../yaql/errors.ts";
import { parseYaql } from "../yaql/parser.ts";
import type { Expression } from "../yaql/syntax.ts";
import type { CompiledExpression } from "./compiled-expression.ts";
import { UnreadableExpression } from "./unreadable-expression.ts";
import { findYaqlUses } from "./yaql-uses.ts";

/** Read `<% … %>`. */
export function compileYaql(text: string, maximumDepth: number): CompiledExpression {
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
