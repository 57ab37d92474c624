import type { JsonValue } from "../../../contract/index.ts";
import { toMicroseconds } from "../../../language/parse-date.ts";
import { Budget, defaultLimits } from "../../../language/templates/budget.ts";
import { TemplateError } from "../../../language/templates/errors.ts";
import { contains, isEqual, order } from "../../../language/templates/operators.ts";
import { compilePythonRegExp, type PythonRegExpOptions } from "../../../language/templates/python-regexp.ts";
import { numberOf, typeName } from "../../../language/templates/values.ts";
import { currentWorkBudget } from "../../../language/work-budget.ts";
import { matchesWildcard } from "./wildcard.ts";

/** Returns true if a value from the payload matches a pattern; neither is null. Throws `TemplateError` if they cannot be compared. */
type Comparison = (value: JsonValue, pattern: JsonValue, now: number) => boolean;

export interface Operator {
	readonly compare: Comparison;
	/** Returns the result for a value that is null or missing; undefined if the operator does not accept it. Default: not accepted. */
	readonly whenNull?: (pattern: JsonValue) => boolean | undefined;
	/** True if the operator ignores the pattern. */
	readonly ignoresPattern?: boolean;
	/** Throws `TemplateError` for a pattern that the operator can never use. Default: every pattern is accepted. */
	readonly checkPattern?: (pattern: JsonValue) => void;
	/** Returns the result for a pattern that is null. Default: false. */
	readonly whenPatternIsNull?: (value: JsonValue) => boolean;
}

const budget = () => new Budget(defaultLimits);

function textOf(value: JsonValue, what: "value" | "pattern"): string {
	if (typeof value === "string") return value;
	throw new TemplateError(`the ${what} must be a string, not ${typeName(value)}`);
}

/** Returns a comparison of two strings. */
const onTexts =
	(compare: (value: string, pattern: string) => boolean): Comparison =>
	(value, pattern) =>
		compare(textOf(value, "value"), textOf(pattern, "pattern"));

/** Returns a case-insensitive comparison of two strings. */
const ignoringCase = (compare: (value: string, pattern: string) => boolean): Comparison =>
	onTexts((value, pattern) => compare(value.toLowerCase(), pattern.toLowerCase()));

const not =
	(comparison: Comparison): Comparison =>
	(value, pattern, now) =>
		!comparison(value, pattern, now);

const search = (options: PythonRegExpOptions): Operator => ({
	compare: onTexts((value, pattern) => compilePythonRegExp(pattern, options).test(value)),
	checkPattern: (pattern) => void compilePythonRegExp(textOf(pattern, "pattern"), options),
});

/** Returns a comparison of the age of a value (seconds from its time until now) with the pattern. */
const onAge =
	(compare: (age: number, limit: number) => boolean): Comparison =>
	(value, pattern, now) => {
		const then = toTime(value);
		if (then === undefined) throw new TemplateError("the value must be a date and time, or a Unix time");
		const limit = typeof pattern === "string" && pattern.trim() !== "" ? Number(pattern) : Number(numberOf(pattern) ?? Number.NaN);
		if (!Number.isFinite(limit)) throw new TemplateError("the pattern must be a number of seconds");
		return compare((now - then) / 1_000_000, limit);
	};

/** Largest Unix time that is interpreted as seconds (the year 5138); larger ones are interpreted as milliseconds. */
const maxUnixSeconds = 100_000_000_000;

/** Converts a date and time, or a Unix time in seconds or milliseconds, to microseconds since 1970. */
function toTime(value: JsonValue): number | undefined {
	const isUnixTime = typeof value === "number" || (typeof value === "string" && /^\s*\d{9,16}(?:\.\d{1,9})?\s*$/.test(value));
	if (!isUnixTime) return toMicroseconds(textOf(value, "value"));
	const time = Number(value);
	return Math.round(time * (time > maxUnixSeconds ? 1_000 : 1_000_000));
}

const isInside: Comparison = (value, pattern) => contains(pattern, value, budget());
/** Returns `whenNull` for `inside` and `ninside`: no array contains null, and a string cannot be searched for null. */
const nullInside = (result: boolean) => (pattern: JsonValue) => (typeof pattern === "string" ? undefined : result);

const named: Readonly<Record<string, Operator>> = {
	equals: { compare: (value, pattern) => isEqual(value, pattern, budget()), whenNull: () => false },
	nequals: {
		compare: (value, pattern) => !isEqual(value, pattern, budget()),
		whenNull: () => true,
		whenPatternIsNull: (value) => value !== null,
	},
	iequals: { compare: ignoringCase((value, pattern) => value === pattern) },
	contains: { compare: (value, pattern) => contains(value, pattern, budget()) },
	ncontains: { compare: (value, pattern) => !contains(value, pattern, budget()) },
	icontains: { compare: ignoringCase((value, pattern) => value.includes(pattern)) },
	incontains: { compare: not(ignoringCase((value, pattern) => value.includes(pattern))) },
	startswith: { compare: onTexts((value, pattern) => value.startsWith(pattern)) },
	istartswith: { compare: ignoringCase((value, pattern) => value.startsWith(pattern)) },
	endswith: { compare: onTexts((value, pattern) => value.endsWith(pattern)) },
	iendswith: { compare: ignoringCase((value, pattern) => value.endsWith(pattern)) },
	lessthan: { compare: (value, pattern) => order(value, pattern, budget()) < 0 },
	greaterthan: { compare: (value, pattern) => order(value, pattern, budget()) > 0 },
	matchwildcard: { compare: onTexts((value, pattern) => currentWorkBudget().searchQuickly(() => matchesWildcard(value, pattern))) },
	regex: search({}),
	iregex: search({ ignoreCase: true }),
	matchregex: search({ fromStart: true, dotAll: true }),
	timediff_lt: { compare: onAge((age, limit) => age < limit) },
	timediff_gt: { compare: onAge((age, limit) => age > limit) },
	exists: { compare: () => true, whenNull: () => false, ignoresPattern: true },
	nexists: { compare: () => false, whenNull: () => true, ignoresPattern: true },
	inside: { compare: isInside, whenNull: nullInside(false) },
	ninside: { compare: not(isInside), whenNull: nullInside(true) },
};

const aliases: Readonly<Record<string, string>> = {
	eq: "equals",
	neq: "nequals",
	ieq: "iequals",
	lt: "lessthan",
	gt: "greaterthan",
	td_lt: "timediff_lt",
	td_gt: "timediff_gt",
	in: "inside",
	nin: "ninside",
};

/** Operators by name, including aliases. `search` is absent, because its pattern consists of criteria. */
export const operators: ReadonlyMap<string, Operator> = new Map([
	...Object.entries(named),
	...Object.entries(aliases).map(([alias, name]): [string, Operator] => [alias, named[name] as Operator]),
]);

/** Allowed values of `type` of a criterion. */
export const operatorNames: readonly string[] = [...operators.keys(), "search"].sort();

/** Applies an operator, including its rules for values and patterns that are null or missing. */
export function applyOperator(operator: Operator, value: JsonValue, pattern: JsonValue, now: number): boolean {
	if (pattern === null && operator.ignoresPattern !== true) return operator.whenPatternIsNull?.(value) ?? false;
	if (value !== null) return operator.compare(value, pattern, now);
	const result = operator.whenNull?.(pattern);
	if (result === undefined) throw new TemplateError("the value is missing or null");
	return result;
}
