import { isSvcError, SvcError } from "../../contract/index.ts";

/** Returns an `SVC_INVALID` error about the value of a parameter. */
export function toParameterError(name: string, message: string, cause?: unknown): SvcError {
	return new SvcError("SVC_INVALID", message, { cause, facts: { parameter: name } });
}

/**
 * Returns an `SVC_INVALID` error about a template that cannot be rendered. For this error the API answers 400 and records an execution with
 * status failed.
 */
export function toTemplateError(name: string, message: string, cause?: unknown): SvcError {
	return new SvcError("SVC_INVALID", message, { cause, facts: { parameter: name, problem: "template" } });
}

/** Returns true if an error of `renderLive` or `renderFinal` is caused by a template: unknown name, cycle, or failure while rendering. */
export function isTemplateProblem(error: unknown): error is SvcError {
	return isSvcError(error, "SVC_INVALID") && error.facts.problem === "template";
}

/** Returns the names in quotes, each cut to 100 characters. After 20 of them, `and more` follows. */
export function quoteNames(names: readonly string[]): string {
	const quotedNames = names.slice(0, 20).map((name) => `"${name.slice(0, 100)}"`);
	return quotedNames.join(", ") + (names.length > quotedNames.length ? " and more" : "");
}
