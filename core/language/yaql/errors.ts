import { TemplateError } from "../templates/errors.ts";

/** The string is not a valid expression. */
export class YaqlSyntaxError extends Error {
	override readonly name = "YaqlSyntaxError";
	readonly kind: "YaqlLexicalException" | "YaqlGrammarException";

	constructor(kind: "YaqlLexicalException" | "YaqlGrammarException", message: string) {
		super(message);
		this.kind = kind;
	}
}

/**
 * An expression could not be evaluated. `kind` is the name of the error class in the YAQL implementation in Python. Messages contain no
 * values.
 */
export class YaqlError extends TemplateError {
	readonly kind: string;

	constructor(kind: string, message: string) {
		super(message);
		this.kind = kind;
	}
}

/** An object has no member of the requested name. */
export class MissingKeyError extends YaqlError {
	readonly key: string;

	constructor(key: string) {
		super("KeyError", "the object has no member with this name");
		this.key = key;
	}
}
