import { SvcError } from "../contract/index.ts";
import { currentWork } from "./work-budget.ts";

/** An expression that can be made again. */
export interface ExpressionSource {
	readonly pattern: string;
	readonly flags: string;
	/** What keeping it costs, in units of `toCompileCost`: one takes up to 10 kB. */
	readonly cost: number;
}

/**
 * Expressions with what the runtime has compiled for them. All of that shares 128 MB of the process, which ends when there is no room left:
 * those that have not been used for the longest time are dropped, and made again when they are.
 */
export class CompiledExpressions {
	readonly #most: number;
	readonly #kept = new Map<ExpressionSource, RegExp>();
	#cost = 0;

	/** `most`: what all that are kept may cost together. */
	constructor(most = 3_000) {
		this.#most = most;
	}

	/** Throws `SyntaxError` for what is no expression. */
	of(source: ExpressionSource): RegExp {
		const known = this.#kept.get(source);
		if (known !== undefined) {
			this.#kept.delete(source);
			this.#kept.set(source, known);
			return known;
		}
		const made = new RegExp(source.pattern, source.flags);
		this.#kept.set(source, made);
		this.#cost += source.cost;
		for (const oldest of this.#kept.keys()) {
			if (this.#cost <= this.#most || oldest === source) break;
			this.#kept.delete(oldest);
			this.#cost -= oldest.cost;
		}
		return made;
	}

	get cost(): number {
		return this.#cost;
	}
}

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

/** Milliseconds that the runtime needs to compile one of them, at the worst that has been measured. */
const costs = { property: 0.3, count: 1.5, optional: 0.1, repetition: 0.03, alternative: 0.03, character: 0.002 };

/**
 * Milliseconds that the runtime may need at the most to compile a pattern, roughly. Nothing can end that once it has begun, and it is not
 * done when the pattern is read but in the middle of the first searches, for each kind of texts again.
 */
function toCompileCost(pattern: string): number {
	const properties = pattern.match(/\\p\{/gi)?.length ?? 0;
	const bare = pattern.replace(/\\[^]/g, "x").replace(/\[[^\]]*\]|\(\?/g, "x");
	let cost = properties * costs.property + pattern.length * costs.character;
	for (const [mark] of bare.matchAll(/[{?*+|]/g)) {
		if (mark === "{") cost += costs.count;
		else if (mark === "?") cost += costs.optional;
		else cost += mark === "|" ? costs.alternative : costs.repetition;
	}
	return cost;
}
