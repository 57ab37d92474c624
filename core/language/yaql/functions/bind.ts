import { type Argument, type FunctionEntry, mismatch, type Pair } from "./define-function.ts";

/** Arguments of a call, not yet matched with parameters. */
export interface Given {
	readonly positional: readonly Argument[];
	readonly pairs: readonly Pair[];
}

/** Returns the values for the parameters of a function; undefined if the arguments do not match. */
export function bind({ parameters }: FunctionEntry, args: Given): readonly unknown[] | undefined {
	const values: unknown[] = [];
	const usedPairs = new Set<Pair>();
	let nextIndex = 0;
	for (const { name, takes, fallback, read } of parameters) {
		if (takes === "pairs") {
			for (const pair of args.pairs) usedPairs.add(pair);
			values.push(args.pairs);
			continue;
		}
		if (takes === "rest") {
			const elements = args.positional.slice(nextIndex).map((argument) => read?.(argument));
			if (elements.includes(mismatch)) return undefined;
			nextIndex = args.positional.length;
			values.push(elements);
			continue;
		}
		const pair = nextIndex < args.positional.length ? undefined : args.pairs.find((candidate) => candidate.name === name);
		if (pair !== undefined) usedPairs.add(pair);
		const argument = args.positional[nextIndex++] ?? pair?.value;
		if (argument === undefined && fallback === undefined) return undefined;
		const value = argument === undefined ? fallback?.value : read?.(argument);
		if (value === mismatch) return undefined;
		values.push(value);
	}
	return nextIndex < args.positional.length || usedPairs.size < args.pairs.length ? undefined : values;
}
