import { type Context, createContext, Script } from "node:vm";
import { SvcError } from "../contract/index.ts";

/** Milliseconds one search may take. */
const timeLimit = 100;
const search = new Script("expression.test(text)");
let context: Context | undefined;

/**
 * A regular expression from outside. Some of them take for ever on some texts, and the whole process with them: the search is
 * given up after a tenth of a second with `SVC_INVALID`.
 */
export function createBoundedRegExp(pattern: string, flags = ""): { test(text: string): boolean; toString(): string } {
	const expression = new RegExp(pattern, flags);
	return {
		// The validator tells expressions apart by this.
		toString: () => String(expression),
		test(text) {
			// The context is there for its time limit; nothing of the pattern or the text is code.
			context ??= createContext(Object.create(null));
			Object.assign(context, { expression, text });
			try {
				return search.runInContext(context, { timeout: timeLimit });
			} catch (cause) {
				throw new SvcError("SVC_INVALID", "the search for its pattern takes too long", { cause });
			}
		},
	};
}
