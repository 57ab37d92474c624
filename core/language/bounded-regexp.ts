import { SvcError } from "../contract/index.ts";
import { currentWorkBudget } from "./work-budget.ts";

/** Source of a regular expression, from which it can be compiled again. */
export interface RegExpSource {
	readonly pattern: string;
	readonly flags: string;
	/**
	 * Cost of keeping the compiled expression: its estimated compile time in milliseconds (`toCompileCost`) plus a minimum. One unit stands
	 * for at most 10 kB of compiled code.
	 */
	readonly cost: number;
}

/**
 * Cache of regular expressions with the code that V8 has compiled for them. All such code shares 128 MB of memory in the process, and the
 * process ends when that memory is full. The least recently used expressions are therefore dropped, and compiled again when they are
 * needed.
 */
export class CompiledRegExpCache {
	readonly #maxCost: number;
	readonly #expressions = new Map<RegExpSource, RegExp>();
	#totalCost = 0;

	/** @param maxCost total cost of the cached expressions */
	constructor(maxCost = 3_000) {
		this.#maxCost = maxCost;
	}

	/** Returns the compiled expression. Throws `SyntaxError` if the pattern is not valid. */
	get(source: RegExpSource): RegExp {
		const cachedExpression = this.#expressions.get(source);
		if (cachedExpression !== undefined) {
			this.#expressions.delete(source);
			this.#expressions.set(source, cachedExpression);
			return cachedExpression;
		}
		const expression = new RegExp(source.pattern, source.flags);
		this.#expressions.set(source, expression);
		this.#totalCost += source.cost;
		for (const oldest of this.#expressions.keys()) {
			if (this.#totalCost <= this.#maxCost || oldest === source) break;
			this.#expressions.delete(oldest);
			this.#totalCost -= oldest.cost;
		}
		return expression;
	}

	/** Total cost of the cached expressions. */
	get cost(): number {
		return this.#totalCost;
	}
}

/** Worst-case steps of a search that runs without a timeout: about a millisecond. */
const maxStepsWithoutTimeout = 1_000_000;

/**
 * Maximum characters, groups and `cost` of a pattern; the cost is the compile time in milliseconds. Above these bounds, V8 may run out of
 * stack, which ends the process, or block the event loop for longer than `cost`.
 */
const patternLimits = { length: 20_000, groups: 500, cost: 100 };

/** Minimum cost of keeping an expression. */
const minCost = 0.2;
const compiledExpressions = new CompiledRegExpCache();

/** Regular expression whose searches are limited by the budget of the current work. */
export interface BoundedRegExp {
	/** Returns true if the pattern occurs in the string. */
	test(text: string): boolean;
	/** Replaces like `String.prototype.replace` with a string. The result may be many times longer than both strings together. */
	replace(text: string, replacement: string): string;
	/** Returns every match with its groups; the flags must contain `g`. */
	matches(text: string): readonly (readonly (string | undefined)[])[];
	/** Returns every match as V8 describes it. The flags must contain `g`, and `d` for the positions of the groups. */
	detailedMatches(text: string): readonly RegExpExecArray[];
	/** Returns the expression in literal notation. */
	toString(): string;
}

/**
 * Compiles a regular expression from a user or a pack; no other code of the service does this. Some expressions take practically for ever
 * on some strings and would block the whole process. A search therefore fails with `SVC_INVALID` when the budget of the current work is
 * used up. Throws `SVC_INVALID` if the pattern is too large or costly, and `SyntaxError` if it is not valid.
 */
export function createBoundedRegExp(pattern: string, flags = ""): BoundedRegExp {
	if (pattern.length > patternLimits.length || (pattern.match(/\(/g)?.length ?? 0) > patternLimits.groups) {
		throw new SvcError(
			"SVC_INVALID",
			`a regular expression has more than ${patternLimits.length} characters or ${patternLimits.groups} groups`,
		);
	}
	const cost = toCompileCost(pattern);
	if (cost > patternLimits.cost) {
		throw new SvcError("SVC_INVALID", "a regular expression has too many repetitions, alternatives or classes of characters");
	}
	const source = { pattern: withoutLookaheadPreparation(pattern, flags), flags, cost: cost + minCost };
	const literal = String(compiledExpressions.get(source));
	const choices = countChoices(pattern);
	return {
		// The validator distinguishes expressions by this string.
		toString: () => literal,
		test(subject) {
			const expression = compiledExpressions.get(source);
			const search = () => expression.test(subject);
			// A timeout costs far more than most searches.
			return withCompileErrors(() =>
				isQuick(choices, subject) ? currentWorkBudget().searchQuickly(search) : currentWorkBudget().searchWithTimeout(search),
			);
		},
		replace: (subject, replacement) => runBoundedSearch(source, (expression) => subject.replace(expression, replacement)),
		matches: (subject) => runBoundedSearch(source, (expression) => Array.from(subject.matchAll(expression), (match) => Array.from(match))),
		detailedMatches: (subject) => runBoundedSearch(source, (expression) => [...subject.matchAll(expression)]),
	};
}

/** Runs a search that may take long. */
function runBoundedSearch<T>(source: RegExpSource, search: (expression: RegExp) => T): T {
	const expression = compiledExpressions.get(source);
	return withCompileErrors(() => currentWorkBudget().searchWithTimeout(() => search(expression)));
}

/**
 * Returns an equivalent pattern for which V8 prepares no lookahead. With several Unicode classes at the beginning of a pattern, that
 * preparation takes many seconds and does not make searches faster.
 */
function withoutLookaheadPreparation(pattern: string, flags: string): string {
	return flags.includes("u") && /\\[pu]|[^\0-\x7f]/i.test(pattern) ? `(?=)${pattern}` : pattern;
}

/** Runs a search. V8 compiles the expression during the first searches, and this can fail if the expression is too large. */
function withCompileErrors<T>(search: () => T): T {
	try {
		return search();
	} catch (cause) {
		const isTooLarge = cause instanceof SyntaxError || (cause instanceof RangeError && /call stack/.test(cause.message));
		throw isTooLarge ? new SvcError("SVC_INVALID", "a regular expression is too large", { cause }) : cause;
	}
}

/** Returns true if a value is a pattern that `createBoundedRegExp` accepts. */
export function isPattern(value: unknown): value is string {
	if (typeof value !== "string") return false;
	try {
		createBoundedRegExp(value);
		return true;
	} catch {
		return false;
	}
}

/**
 * Returns the number of parts at which a search can continue in more than one way. Returns infinity if a repeated part contains such a
 * part.
 */
function countChoices(pattern: string): number {
	if (/\)[*+{]|\\[1-9k]/.test(pattern)) return Number.POSITIVE_INFINITY;
	const simplifiedPattern = pattern.replace(/\\p\{\w+\}|\\[^]/gi, "x").replace(/\[[^\]]*\]|\(\?/g, "x");
	return simplifiedPattern.match(/[*+?{|]/g)?.length ?? 0;
}

/**
 * Returns true if a search cannot take long. In the worst case, each choice, and the start position, multiplies the steps by the length of
 * the string.
 */
function isQuick(choices: number, text: string): boolean {
	return Math.max(text.length, 2) ** (choices + 1) <= maxStepsWithoutTimeout;
}

/** Milliseconds that V8 needs to compile one construct, from the worst measurements. */
const compileCosts = { property: 0.3, count: 1.5, optional: 0.1, repetition: 0.03, alternative: 0.03, character: 0.002 };

/**
 * Returns a rough upper bound of the milliseconds that V8 needs to compile a pattern. The compilation cannot be interrupted. V8 runs it
 * during the first searches, and once for each internal representation of strings.
 */
function toCompileCost(pattern: string): number {
	const properties = pattern.match(/\\p\{/gi)?.length ?? 0;
	const simplifiedPattern = pattern.replace(/\\[^]/g, "x").replace(/\[[^\]]*\]|\(\?/g, "x");
	let cost = properties * compileCosts.property + pattern.length * compileCosts.character;
	for (const [quantifier] of simplifiedPattern.matchAll(/[{?*+|]/g)) {
		if (quantifier === "{") cost += compileCosts.count;
		else if (quantifier === "?") cost += compileCosts.optional;
		else cost += quantifier === "|" ? compileCosts.alternative : compileCosts.repetition;
	}
	return cost;
}
