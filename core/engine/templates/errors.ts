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
