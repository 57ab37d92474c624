import { type Argument, type FunctionEntry, mismatch, type Pair } from "./define-function.ts";

/** Arguments as a call has them. */
export interface Given {
	readonly positional: readonly Argument[];
	readonly pairs: readonly Pair[];
}

/** The values for the parameters of a function; undefined when they do not fit. */
export function bind({ parameters }: FunctionEntry, given: Given): readonly unknown[] | undefined {
	const values: unknown[] = [];
	const taken = new Set<Pair>();
	let next = 0;
	for (const { name, takes, fallback, read } of parameters) {
		if (takes === "pairs") {
			for (const pair of given.pairs) taken.add(pair);
			values.push(given.pairs);
			continue;
		}
		if (takes === "rest") {
			const elements = given.positional.slice(next).map((argument) => read?.(argument));
			if (elements.includes(mismatch)) return undefined;
			next = given.positional.length;
			values.push(elements);
			continue;
		}
		const pair = next < given.positional.length ? undefined : given.pairs.find((candidate) => candidate.name === name);
		if (pair !== undefined) taken.add(pair);
		const argument = given.positional[next++] ?? pair?.value;
		if (argument === undefined && fallback === undefined) return undefined;
		const value = argument === undefined ? fallback?.value : read?.(argument);
		if (value === mismatch) return undefined;
		values.push(value);
	}
	return next < given.positional.length || taken.size < given.pairs.length ? undefined : values;
}
