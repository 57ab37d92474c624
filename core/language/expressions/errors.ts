import { type ExpressionLanguage, isSvcError, SvcError, toErrorMessage } from "../../contract/index.ts";
import { TemplateError, TemplateSyntaxError, UndefinedValueError } from "../templates/errors.ts";
import { MissingKeyError, YaqlError, YaqlSyntaxError } from "../yaql/errors.ts";

/** What a function says about its call, which comes with the kind of error. */
export class FunctionError extends TemplateError {
	readonly kind: string;

	constructor(kind: string, message: string, cause?: unknown) {
		super(message, cause === undefined ? undefined : { cause });
		this.kind = kind;
	}
}

/** The result of an expression is not there. */
export class UnresolvedError extends TemplateError {}

const kinds: Readonly<Record<ExpressionLanguage, string>> = { yaql: "YaqlEvaluationException", jinja: "JinjaEvaluationException" };

/** Longest expression that a message quotes. */
const longest = 1_000;

/** The error that says which expression could not be evaluated, and why; others than those of expressions stay as they are. */
export function toExpressionError(error: unknown, language: ExpressionLanguage, expression: string): unknown {
	const shown = expression.length > longest ? `${expression.slice(0, longest)}…` : expression;
	const reason = reasonOf(error, shown);
	if (reason === undefined) return error;
	return new SvcError("SVC_INVALID", `${kinds[language]}: ${reason}`, { cause: error, facts: { language, expression } });
}

function reasonOf(error: unknown, expression: string): string | undefined {
	if (error instanceof UnresolvedError) return error.message;
	if (error instanceof MissingKeyError) {
		// One that was computed may be a secret.
		const name = expression.includes(error.key) ? ` '${error.key}'` : "";
		return `Unable to resolve key${name} in expression '${expression}' from context.`;
	}
	const kind = kindOf(error);
	return kind === undefined ? undefined : `Unable to evaluate expression '${expression}'. ${kind}: ${toErrorMessage(error)}`;
}

function kindOf(error: unknown): string | undefined {
	if (error instanceof YaqlError || error instanceof YaqlSyntaxError || error instanceof FunctionError) return error.kind;
	if (error instanceof UndefinedValueError) return "UndefinedError";
	if (error instanceof TemplateSyntaxError || error instanceof TemplateError) return error.name;
	// What cannot be reached now may be there the next time.
	return isSvcError(error) && error.code !== "SVC_UNAVAILABLE" ? "ExpressionEvaluationException" : undefined;
}
