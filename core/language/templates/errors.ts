import { isSvcError } from "../../contract/index.ts";

/** The text is not a template. Whoever rendered it may use it literally. */
export class TemplateSyntaxError extends Error {
	override readonly name = "TemplateSyntaxError";
	readonly line: number;

	constructor(message: string, line: number) {
		super(`${message} (line ${line})`);
		this.line = line;
	}
}

/** A template could not be rendered: something undefined, a value of the wrong type, a limit. Messages hold names and types, no values. */
export class TemplateError extends Error {
	override readonly name = "TemplateError";
}

/** Something was used that is not there. */
export class UndefinedValueError extends TemplateError {}

/** Whether a rendering failed for what the template or a value holds, so that it would fail again. */
export function isRenderProblem(error: unknown): error is Error {
	if (error instanceof TemplateError || error instanceof TemplateSyntaxError) return true;
	return isSvcError(error) && error.code !== "SVC_UNAVAILABLE";
}
