import type { JsonObject, JsonValue } from "./json.ts";

/**
 * Language of an expression.
 *
 * - `yaql`: delimited by `<% %>`.
 * - `jinja`: delimited by `{{ }}` and `{% %}`.
 */
export type ExpressionLanguage = "yaql" | "jinja";

/** A function that expressions can call. Throws an error whose message describes what is wrong with the call. */
export type ExpressionFunction = (positional: readonly JsonValue[], named: Readonly<Record<string, JsonValue>>) => JsonValue;

/** Names that are visible to expressions in addition to the built-in functions and the datastore (`svckv`). */
export interface ExpressionScope {
	/** The value of `ctx()`. Names that begin with two underscores are hidden, and an expression that refers to one is refused. */
	readonly variables: JsonObject;
	/** Additional functions by name: `result`, `succeeded`, `item` … */
	readonly functions?: Readonly<Record<string, ExpressionFunction>>;
	/**
	 * Variables that Jinja can refer to by plain names, `{{ host }}`, such as those of action chains. They may begin with two
	 * underscores.
	 *
	 * If this member is present, `svckv` and `system` denote the datastore unless they are variables: `{{ svckv.system.host }}`, `{{
	 * system.host }}`.
	 */
	readonly names?: JsonObject;
	/** If it is `jinja`, `<% %>` is not evaluated. Default: both languages. */
	readonly language?: "jinja";
	/**
	 * True if a string that consists of a single expression becomes a string, as Python prints the value: `True`, `{'a': 1}`. By default it
	 * becomes the value itself. The value null becomes null in either case.
	 */
	readonly keepsText?: boolean;
}

/** An expression found in a definition. */
export interface FoundExpression {
	readonly language: ExpressionLanguage;
	/** The expression with its delimiters, as the definition has it. */
	readonly expression: string;
	/** Syntax error of the expression. Absent if it is valid. */
	readonly problem?: string;
	/**
	 * Variables that the expression certainly reads: `ctx(name)`, `ctx().name`. Variables with a default are omitted. No duplicates, in the
	 * order of their appearance.
	 */
	readonly variables: readonly string[];
	/** Names of the functions that the expression calls. Methods are not included. */
	readonly functions: readonly string[];
	/**
	 * One message for each function, method, filter or test that is called and does not exist. Present only if `find` was given
	 * `functions`.
	 *
	 * Example: `unknown function "suceeded"; did you mean "succeeded"?`.
	 */
	readonly unknown?: readonly string[];
}

/**
 * Evaluates expressions of both languages anywhere in a value: in strings, members, elements and names of members.
 *
 * A string that consists of a single expression becomes the value of the expression, with its type. In any other string, each value is
 * inserted as a string. The result of an expression is never evaluated again.
 *
 * Evaluation is bounded in time, steps, size and depth.
 */
export interface Expressions {
	/**
	 * Returns all expressions in a value, in the order of their appearance. A string that mixes both languages has a single entry, with a
	 * problem.
	 *
	 * @param language with `jinja`, `<% %>` is not an expression
	 * @param functions names that the scope's `functions` will have at evaluation; fills `unknown`, but not in a run
	 */
	find(value: JsonValue, language?: "jinja", functions?: readonly string[]): readonly FoundExpression[];
	/**
	 * Returns the value with all expressions evaluated.
	 *
	 * Throws `SVC_INVALID` if an expression fails. The message names the kind of error, the expression and the reason; `facts.language`
	 * and `facts.expression` are set. Throws `SVC_UNAVAILABLE` while the datastore is unreachable.
	 */
	evaluate(value: JsonValue, scope: ExpressionScope): Promise<JsonValue>;
}
