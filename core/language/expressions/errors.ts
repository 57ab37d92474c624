import { type ExpressionLanguage, isSvcError, SvcError, toErrorMessage } from "../../contract/index.ts";
import { TemplateError, TemplateSyntaxError, UndefinedValueError } from "../templates/errors.ts";
import { MissingKeyError, YaqlError, YaqlSyntaxError } from "../yaql/errors.ts";

/** Failure of a function call, with the name of the error class that the message reports. */
export class FunctionError extends TemplateError {
	readonly kind: string;

	constructor(kind: string, message: string, cause?: unknown) {
		super(message, cause === undefined ? undefined : { cause });
		this.kind = kind;
	}
}

/** The result of an expression is undefined. */
export class UnresolvedError extends TemplateError {}

const kinds: Readonly<Record<ExpressionLanguage, string>> = { yaql: "YaqlEvaluationException", jinja: "JinjaEvaluationException" };

/** Maximum characters of an expression that a message quotes. */
const maxQuotedLength = 1_000;

/**
 * Returns an `SVC_INVALID` error that names the expression and the reason. Returns other errors unchanged if they are not caused by
 * expressions.
 */
export function toExpressionError(error: unknown, language: ExpressionLanguage, expression: string): unknown {
	const quotedExpression = expression.length > maxQuotedLength ? `${expression.slice(0, maxQuotedLength)}…` : expression;
	const reason = reasonOf(error, quotedExpression);
	if (reason === undefined) return error;
	return new SvcError("SVC_INVALID", `${kinds[language]}: ${reason}`, { cause: error, facts: { language, expression } });
}

function reasonOf(error: unknown, expression: string): string | undefined {
	if (error instanceof UnresolvedError) return error.message;
	if (error instanceof MissingKeyError) {
		// A computed key may be a secret, so the message only names a key that the expression contains.
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
	// An unavailable dependency is not a fault of the expression, and a retry may succeed.
	return isSvcError(error) && error.code !== "SVC_UNAVAILABLE" ? "ExpressionEvaluationException" : undefined;
}
