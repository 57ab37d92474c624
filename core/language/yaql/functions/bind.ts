import type { FunctionEntry } from "./define-function.ts";
import { type Argument, type ArgumentPair, mismatch } from "./parameters.ts";

/** Arguments of a call, not yet matched with parameters. */
export interface CallArguments {
	readonly positional: readonly Argument[];
	readonly pairs: readonly ArgumentPair[];
}

/** Returns the values for the parameters of a function; undefined if the arguments do not match. */
export function bindArguments({ parameters }: FunctionEntry, args: CallArguments): readonly unknown[] | undefined {
	const values: unknown[] = [];
	const usedPairs = new Set<ArgumentPair>();
	let nextIndex = 0;
	for (const { name, arity, fallback, convert } of parameters) {
		if (arity === "pairs") {
			for (const pair of args.pairs) usedPairs.add(pair);
			values.push(args.pairs);
			continue;
		}
		if (arity === "rest") {
			const elements = args.positional.slice(nextIndex).map((argument) => convert?.(argument));
			if (elements.includes(mismatch)) return undefined;
			nextIndex = args.positional.length;
			values.push(elements);
			continue;
		}
		const pair = nextIndex < args.positional.length ? undefined : args.pairs.find((candidate) => candidate.name === name);
		if (pair !== undefined) usedPairs.add(pair);
		const argument = args.positional[nextIndex++] ?? pair?.value;
		if (argument === undefined && fallback === undefined) return undefined;
		const value = argument === undefined ? fallback?.value : convert?.(argument);
		if (value === mismatch) return undefined;
		values.push(value);
	}
	return nextIndex < args.positional.length || usedPairs.size < args.pairs.length ? undefined : values;
}
