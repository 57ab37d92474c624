import type { Budget } from "../../templates/budget.ts";
import { YaqlError } from "../errors.ts";
import { isEqual } from "../operators.ts";
import { isList, numberOf, stepping, toInteger, type YaqlList, type YaqlValue } from "../values.ts";
import type { Lambda } from "./define-function.ts";

/** Remembers values and tells whether one equal to another was there before. */
export class SeenValues {
	readonly #budget: Budget;
	/** Those that can be told apart by a look. */
	readonly #simple = new Set<string | number | bigint | null>();
	readonly #others: YaqlValue[] = [];

	constructor(budget: Budget) {
		this.#budget = budget;
	}

	has(value: YaqlValue): boolean {
		const simple = simplified(value);
		return simple === undefined ? this.#others.some((other) => isEqual(other, value, this.#budget)) : this.#simple.has(simple);
	}

	/** False when it was there before. */
	add(value: YaqlValue): boolean {
		if (this.has(value)) return false;
		const simple = simplified(value);
		if (simple === undefined) this.#others.push(value);
		else this.#simple.add(simple);
		return true;
	}
}

/** True is equal to 1, and 1 to 1.0. */
function simplified(value: YaqlValue): string | number | bigint | null | undefined {
	if (value === null || typeof value === "string") return value;
	if (typeof value === "boolean") return Number(value);
	const number = numberOf(value);
	// A float of this size is the same number as a whole one.
	return typeof number === "number" && Number.isInteger(number) ? toInteger(number) : number;
}

export function distinct(elements: Iterable<YaqlValue>, key: Lambda | undefined, budget: Budget): readonly YaqlValue[] {
	const seen = new SeenValues(budget);
	return Array.from(stepping(elements, budget)).filter((element) => seen.add(key === undefined ? element : key(element)));
}

/** The elements, and those of lists in it, at any depth. */
export function* flattened(elements: Iterable<YaqlValue>, budget: Budget, depth = 0): Generator<YaqlValue, void> {
	budget.depth(depth);
	for (const element of stepping(elements, budget)) {
		if (isList(element)) yield* flattened(element, budget, depth + 1);
		else yield element;
	}
}

/** One value made of all, from the left. */
export function reduce(elements: YaqlList, combine: Lambda, seed: YaqlValue | undefined, budget: Budget): YaqlValue {
	let total = seed;
	for (const element of stepping(elements, budget)) total = total === undefined ? element : combine(total, element);
	if (total === undefined) throw new YaqlError("TypeError", "an empty list has no total without an initial value");
	return total;
}
