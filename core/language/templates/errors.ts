import { isSvcError } from "../../contract/index.ts";

/** The string is not a valid template. Some callers then use it literally. */
export class TemplateSyntaxError extends Error {
	override readonly name = "TemplateSyntaxError";
	readonly line: number;

	constructor(message: string, line: number) {
		super(`${message} (line ${line})`);
		this.line = line;
	}
}

/**
 * A template could not be rendered: a value is undefined or of the wrong type, or a limit is exceeded. Messages contain names and types,
 * but no values.
 */
export class TemplateError extends Error {
	override readonly name = "TemplateError";
}

/** A template used a variable or member that does not exist. */
export class UndefinedValueError extends TemplateError {}

/** Returns true if a rendering failed because of the template or its values, so that a retry would fail again. */
export function isRenderProblem(error: unknown): error is Error {
	if (error instanceof TemplateError || error instanceof TemplateSyntaxError) return true;
	return isSvcError(error) && error.code !== "SVC_UNAVAILABLE";
}
