import { type Context, createContext, Script } from "node:vm";
import { SvcError } from "../contract/index.ts";

/** Milliseconds one search may take. */
const timeLimit = 100;
/** Steps that a search without a time limit may need at the worst. */
const quickSteps = 1_000_000;

/** Above them the compiler of the runtime may run out of stack, which ends the whole process. */
const limits = { length: 20_000, groups: 500 };

const scripts = {
	test: new Script("expression.test(text)"),
	replace: new Script("text.replace(expression, replacement)"),
	matches: new Script("Array.from(text.matchAll(expression), (match) => Array.from(match))"),
};
let context: Context | undefined;

export interface BoundedRegExp {
	test(text: string): boolean;
	/** As `String.prototype.replace` with a text, which may be many times longer than both together. */
	replace(text: string, replacement: string): string;
	/** Every match with its groups; the flags must have `g`. */
	matches(text: string): readonly (readonly (string | undefined)[])[];
	toString(): string;
}

/**
 * A regular expression from outside. Some of them take for ever on some texts, and the whole process with them: the search is
 * given up after a tenth of a second with `SVC_INVALID`.
 */
export function createBoundedRegExp(pattern: string, flags = ""): BoundedRegExp {
	if (pattern.length > limits.length || (pattern.match(/\(/g)?.length ?? 0) > limits.groups) {
		throw new SvcError("SVC_INVALID", `a regular expression has more than ${limits.length} characters or ${limits.groups} groups`);
	}
	const expression = new RegExp(pattern, flags);
	const choices = countChoices(pattern);
	function run<T>(script: Script, text: string, replacement?: string): T {
		// The context is there for its time limit; nothing of the pattern or the text is code.
		context ??= createContext(Object.create(null));
		Object.assign(context, { expression, text, replacement });
		try {
			return script.runInContext(context, { timeout: timeLimit }) as T;
		} catch (cause) {
			throw new SvcError("SVC_INVALID", "the search for its pattern takes too long", { cause });
		} finally {
			Object.assign(context, { expression: undefined, text: undefined, replacement: undefined });
		}
	}
	return {
		// The validator tells expressions apart by this.
		toString: () => String(expression),
		// The watch over the time costs far more than most searches do.
		test: (text) => (isQuick(choices, text) ? expression.test(text) : run<boolean>(scripts.test, text)),
		replace: (text, replacement) => run<string>(scripts.replace, text, replacement),
		matches: (text) => run<readonly (readonly (string | undefined)[])[]>(scripts.matches, text),
	};
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
