import type { JsonValue } from "../../../contract/index.ts";
import { toMicroseconds } from "../../../language/date-time.ts";
import { Budget, defaultLimits } from "../../../language/templates/budget.ts";
import { TemplateError } from "../../../language/templates/errors.ts";
import { contains, isEqual, order } from "../../../language/templates/operators.ts";
import { compileTextPattern, type TextPatternOptions } from "../../../language/templates/text-pattern.ts";
import { numberOf, typeName } from "../../../language/templates/values.ts";
import { currentWorkBudget } from "../../../language/work-budget.ts";
import { matchesWildcard } from "./wildcard.ts";

/** Whether a value from the payload and a pattern, both not null, fit; `TemplateError` when they cannot be compared. */
type Comparison = (value: JsonValue, pattern: JsonValue, now: number) => boolean;

export interface Operator {
	readonly compare: Comparison;
	/** Result for a value that is null or missing; without one, the operator cannot be applied to it. */
	readonly whenNull?: (pattern: JsonValue) => boolean | undefined;
	/** Whether the pattern counts at all. */
	readonly ignoresPattern?: boolean;
	/** Throws `TemplateError` for a pattern that nothing can ever be compared with. Absent: any may be. */
	readonly checkPattern?: (pattern: JsonValue) => void;
	/** Result for a pattern that is null. Default: false. */
	readonly whenPatternIsNull?: (value: JsonValue) => boolean;
}

const budget = () => new Budget(defaultLimits);

function textOf(value: JsonValue, what: "value" | "pattern"): string {
	if (typeof value === "string") return value;
	throw new TemplateError(`the ${what} must be a text, not ${typeName(value)}`);
}

/** A comparison of two texts. */
const onTexts =
	(compare: (value: string, pattern: string) => boolean): Comparison =>
	(value, pattern) =>
		compare(textOf(value, "value"), textOf(pattern, "pattern"));

/** The same without regard to case. */
const ignoringCase = (compare: (value: string, pattern: string) => boolean): Comparison =>
	onTexts((value, pattern) => compare(value.toLowerCase(), pattern.toLowerCase()));

const not =
	(comparison: Comparison): Comparison =>
	(value, pattern, now) =>
		!comparison(value, pattern, now);

const search = (options: TextPatternOptions): Operator => ({
	compare: onTexts((value, pattern) => compileTextPattern(pattern, options).test(value)),
	checkPattern: (pattern) => void compileTextPattern(textOf(pattern, "pattern"), options),
});

/** Seconds from the time a value stands for until now, compared with the pattern. */
const onAge =
	(compare: (age: number, limit: number) => boolean): Comparison =>
	(value, pattern, now) => {
		const then = toTime(value);
		if (then === undefined) throw new TemplateError("the value must be a date and time, or a Unix time");
		const limit = typeof pattern === "string" && pattern.trim() !== "" ? Number(pattern) : Number(numberOf(pattern) ?? Number.NaN);
		if (!Number.isFinite(limit)) throw new TemplateError("the pattern must be a number of seconds");
		return compare((now - then) / 1_000_000, limit);
	};

/** Unix times above it are in milliseconds: in seconds it is the year 5138. */
const maxUnixSeconds = 100_000_000_000;

/** Microseconds since 1970 of a date and time, or of a Unix time in seconds or milliseconds. */
function toTime(value: JsonValue): number | undefined {
	const isUnixTime = typeof value === "number" || (typeof value === "string" && /^\s*\d{9,16}(?:\.\d{1,9})?\s*$/.test(value));
	if (!isUnixTime) return toMicroseconds(textOf(value, "value"));
	const time = Number(value);
	return Math.round(time * (time > maxUnixSeconds ? 1_000 : 1_000_000));
}

const isInside: Comparison = (value, pattern) => contains(pattern, value, budget());
/** Null is in no array; in a text it cannot be looked for. */
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

/** Operators by name, aliases included; `search` is not among them, as it holds criteria of its own. */
export const operators: ReadonlyMap<string, Operator> = new Map([
	...Object.entries(named),
	...Object.entries(aliases).map(([alias, name]): [string, Operator] => [alias, named[name] as Operator]),
]);

/** What may stand as `type` of a criterion. */
export const operatorNames: readonly string[] = [...operators.keys(), "search"].sort();

/** Apply an operator as the table of null and missing values says. */
export function applyOperator(operator: Operator, value: JsonValue, pattern: JsonValue, now: number): boolean {
	if (pattern === null && operator.ignoresPattern !== true) return operator.whenPatternIsNull?.(value) ?? false;
	if (value !== null) return operator.compare(value, pattern, now);
	const result = operator.whenNull?.(pattern);
	if (result === undefined) throw new TemplateError("the value is missing or null");
	return result;
}
