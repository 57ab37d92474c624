import { SvcError } from "../contract/index.ts";
import { CompiledExpressions, type ExpressionSource } from "./compiled-regexp-cache.ts";
import { toCompileCost } from "./regexp-compile-cost.ts";
import { currentWork } from "./work-budget.ts";

/** Steps that a search without a time limit may need at the worst: about a millisecond. */
const quickSteps = 1_000_000;

/**
 * Above them the compiler of the runtime may run out of stack, which ends the whole process, or hold up everybody for more than `cost`
 * milliseconds.
 */
const limits = { length: 20_000, groups: 500, cost: 100 };

/** What keeping any expression costs. */
const leastCost = 0.2;
const kept = new CompiledExpressions();

export interface BoundedRegExp {
	test(text: string): boolean;
	/** As `String.prototype.replace` with a text, which may be many times longer than both together. */
	replace(text: string, replacement: string): string;
	/** Every match with its groups; the flags must have `g`. */
	matches(text: string): readonly (readonly (string | undefined)[])[];
	/** Every match as the runtime describes it; the flags must have `g`, and `d` for the places of its groups. */
	occurrences(text: string): readonly RegExpExecArray[];
	toString(): string;
}

/**
 * A regular expression from outside; nothing else in the service makes one of a foreign text. Some of them take for ever on some
 * texts, and the whole process with them: a search is given up with `SVC_INVALID` when the time of the work it is part of is up.
 */
export function createBoundedRegExp(pattern: string, flags = ""): BoundedRegExp {
	if (pattern.length > limits.length || (pattern.match(/\(/g)?.length ?? 0) > limits.groups) {
		throw new SvcError("SVC_INVALID", `a regular expression has more than ${limits.length} characters or ${limits.groups} groups`);
	}
	const cost = toCompileCost(pattern);
	if (cost > limits.cost) {
		throw new SvcError("SVC_INVALID", "a regular expression has too many repetitions, alternatives or classes of characters");
	}
	const source = { pattern: withoutLookahead(pattern, flags), flags, cost: cost + leastCost };
	const text = String(kept.of(source));
	const choices = countChoices(pattern);
	return {
		// The validator tells expressions apart by this.
		toString: () => text,
		test(subject) {
			const expression = kept.of(source);
			const search = () => expression.test(subject);
			// The watch over the time costs far more than most searches do.
			return compiled(() => (isQuick(choices, subject) ? currentWork().quickly(search) : currentWork().bounded(search)));
		},
		replace: (subject, replacement) => searched(source, (expression) => subject.replace(expression, replacement)),
		matches: (subject) => searched(source, (expression) => Array.from(subject.matchAll(expression), (match) => Array.from(match))),
		occurrences: (subject) => searched(source, (expression) => [...subject.matchAll(expression)]),
	};
}

/** A search that may take long. */
function searched<T>(source: ExpressionSource, search: (expression: RegExp) => T): T {
	const expression = kept.of(source);
	return compiled(() => currentWork().bounded(() => search(expression)));
}

/**
 * The same expression, for which the runtime prepares no lookahead: with several classes of Unicode at the beginning that takes it many
 * seconds, and finds nothing faster.
 */
function withoutLookahead(pattern: string, flags: string): string {
	return flags.includes("u") && /\\[pu]|[^\0-\x7f]/i.test(pattern) ? `(?=)${pattern}` : pattern;
}

/** A search by an expression that is compiled in the middle of it, if it can be. */
function compiled<T>(search: () => T): T {
	try {
		return search();
	} catch (cause) {
		const isTooLarge = cause instanceof SyntaxError || (cause instanceof RangeError && /call stack/.test(cause.message));
		throw isTooLarge ? new SvcError("SVC_INVALID", "a regular expression is too large", { cause }) : cause;
	}
}

/** Whether `createBoundedRegExp` can make something of a value. */
export function isPattern(value: unknown): value is string {
	if (typeof value !== "string") return false;
	try {
		createBoundedRegExp(value);
		return true;
	} catch {
		return false;
	}
}

/** How many parts of a pattern can go on in more than one way; none that can be repeated holds such a part itself. Otherwise infinite. */
function countChoices(pattern: string): number {
	if (/\)[*+{]|\\[1-9k]/.test(pattern)) return Number.POSITIVE_INFINITY;
	const bare = pattern.replace(/\\p\{\w+\}|\\[^]/gi, "x").replace(/\[[^\]]*\]|\(\?/g, "x");
	return bare.match(/[*+?{|]/g)?.length ?? 0;
}

/** Whether a search cannot take long: each choice, and the place to begin, multiplies the steps by the length at the worst. */
function isQuick(choices: number, text: string): boolean {
	return Math.max(text.length, 2) ** (choices + 1) <= quickSteps;
}
