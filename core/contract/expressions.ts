import type { JsonObject, JsonValue } from "./json.ts";

/** Language of an expression: YAQL stands in `<% %>`, Jinja in `{{ }}` and `{% %}`. */
export type ExpressionLanguage = "yaql" | "jinja";

/** A function that expressions may call. Throws an error whose message says what is wrong with the call. */
export type ExpressionFunction = (positional: readonly JsonValue[], named: Readonly<Record<string, JsonValue>>) => JsonValue;

/** What expressions see besides the functions that they always have, and the datastore (`svckv`). */
export interface ExpressionScope {
	/** What `ctx()` is. Names that begin with two underscores are left out of it, and refused where they are asked for. */
	readonly variables: JsonObject;
	/** More functions, by name: `result`, `succeeded`, `item` … */
	readonly functions?: Readonly<Record<string, ExpressionFunction>>;
	/**
	 * Variables that Jinja knows by their plain names, `{{ host }}`, such as those of action chains; what begins with two underscores as well.
	 * Where they are given, `svckv` and `system` that are none of them are the datastore: `{{ svckv.system.host }}`, `{{ system.host }}`.
	 */
	readonly names?: JsonObject;
	/** `jinja`: `<% %>` is plain text. Default: both languages. */
	readonly language?: "jinja";
	/**
	 * Whether a text stays a text whatever its expressions yield, as those do of which a text has several: `True`, `{'a': 1}`. Default false:
	 * a text that is one expression becomes its value. A text that is one expression becomes null in either case where its value is null.
	 */
	readonly keepsText?: boolean;
}

/** An expression as it stands in a definition. */
export interface ExpressionUse {
	readonly language: ExpressionLanguage;
	/** With its delimiters, as it is written. */
	readonly expression: string;
	/** Why it cannot be evaluated, by its grammar. */
	readonly problem?: string;
	/** Variables that it surely reads: `ctx(name)`, `ctx().name`; not those with a default. Each once, in the order of its text. */
	readonly variables: readonly string[];
	/** Functions that it calls by name, methods left out. */
	readonly functions: readonly string[];
	/**
	 * One message for each function, method, filter or test that it calls and that does not exist, such as `there is no function "suceeded"; did
	 * you mean "succeeded"?`. Present only if `find` was given the functions of the place.
	 */
	readonly unknown?: readonly string[];
}

/**
 * Evaluates expressions of both languages, which may stand anywhere in a value: in texts, members, elements and the names of members. A text
 * that is one expression becomes its value, with its type; of a text with more in it the values become part, as text. What an expression
 * yields is never evaluated again.
 *
 * Work is bounded in time, steps, size and depth.
 */
export interface Expressions {
	/**
	 * All expressions in a value, in the order of its text. A text in which both languages stand has one use for it, with a problem; with
	 * the language `jinja` `<% %>` is plain text.
	 *
	 * @param functions names that the scope's `functions` will have where the value is evaluated; fills `unknown`
	 */
	find(value: JsonValue, language?: "jinja", functions?: readonly string[]): readonly ExpressionUse[];
	/**
	 * The value with everything evaluated. Rejects with `SVC_INVALID` whose message names the kind of error, the expression and the reason,
	 * with `facts.language` and `facts.expression`; with `SVC_UNAVAILABLE` while what it reads cannot be reached.
	 */
	evaluate(value: JsonValue, scope: ExpressionScope): Promise<JsonValue>;
}
