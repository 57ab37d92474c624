import type { Budget } from "../../templates/budget.ts";
import { YaqlError } from "../errors.ts";
import { isEqual } from "../operators.ts";
import { isList, numberOf, toInteger, withStepCost, type YaqlList, type YaqlValue } from "../values.ts";
import type { Lambda } from "./parameters.ts";

/** Set of values. Values are compared by the equality of YAQL. */
export class SeenValues {
	readonly #budget: Budget;
	/** Values that have a primitive form, which makes them comparable by a lookup. */
	readonly #primitives = new Set<string | number | bigint | null>();
	readonly #others: YaqlValue[] = [];

	constructor(budget: Budget) {
		this.#budget = budget;
	}

	has(value: YaqlValue): boolean {
		const primitive = toPrimitive(value);
		return primitive === undefined ? this.#others.some((other) => isEqual(other, value, this.#budget)) : this.#primitives.has(primitive);
	}

	/** Adds a value. Returns false if the set already contains an equal value. */
	add(value: YaqlValue): boolean {
		if (this.has(value)) return false;
		const primitive = toPrimitive(value);
		if (primitive === undefined) this.#others.push(value);
		else this.#primitives.add(primitive);
		return true;
	}
}

/** Returns the primitive form of a value; undefined if it has none. True has the form of 1, and 1.0 that of 1, because they are equal. */
function toPrimitive(value: YaqlValue): string | number | bigint | null | undefined {
	if (value === null || typeof value === "string") return value;
	if (typeof value === "boolean") return Number(value);
	const number = numberOf(value);
	// A float with a whole value equals the integer, even beyond the safe integers.
	return typeof number === "number" && Number.isInteger(number) ? toInteger(number) : number;
}

/** Returns the elements without duplicates. Sets are lists of this kind. */
export function toSet(elements: Iterable<YaqlValue>, budget: Budget): readonly YaqlValue[] {
	const seenValues = new SeenValues(budget);
	return Array.from(withStepCost(elements, budget)).filter((element) => seenValues.add(element));
}

/** Yields the elements, with lists of any depth replaced by their elements. */
export function* flatten(elements: Iterable<YaqlValue>, budget: Budget, depth = 0): Generator<YaqlValue, void> {
	budget.checkDepth(depth);
	for (const element of withStepCost(elements, budget)) {
		if (isList(element)) yield* flatten(element, budget, depth + 1);
		else yield element;
	}
}

/** Combines all elements from the left. Throws `TypeError` if there are no elements and no seed. */
export function reduce(elements: YaqlList, combine: Lambda, seed: YaqlValue | undefined, budget: Budget): YaqlValue {
	let total = seed;
	for (const element of withStepCost(elements, budget)) total = total === undefined ? element : combine(total, element);
	if (total === undefined) throw new YaqlError("TypeError", "the total of an empty list needs an initial value");
	return total;
}
