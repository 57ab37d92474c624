import type { Budget } from "../../templates/budget.ts";
import { YaqlError } from "../errors.ts";
import { compare, isEqual, isIn, operate } from "../operators.ts";
import { isList, isTrue, Stream, stepping, toArray, type YaqlList, type YaqlValue } from "../values.ts";
import { streamOf } from "./branching-functions.ts";
import { any, defineBoth, defineFunction, defineMethod, type Lambda, lambda, list, optional, rest } from "./define-function.ts";
import { flattened, reduce, SeenValues } from "./list-tools.ts";

const collection = list("collection");
const predicate = lambda("predicate");

/** Functions that give one value of a list: an element, a number, whether something holds. */
export const listFunctions = [
	defineFunction("list", [rest(any("args"))], ({ budget }, elements) => [...unrolled(elements, budget)]),
	defineFunction("set", [rest(any("args"))], ({ budget }, elements) => toSet(unrolled(elements, budget), budget)),
	defineFunction("isList", [any("arg")], (_call, value) => isList(value)),
	defineFunction("isIterable", [any("value")], (_call, value) => isList(value)),
	defineBoth("len", [collection], ({ budget }, elements) => toArray(elements, budget).length),
	defineBoth("isEmpty", [collection], (_call, elements) => !isTrue(elements)),
	defineMethod("count", [collection], ({ budget }, elements) => toArray(elements, budget).length),
	defineMethod("toList", [collection], ({ budget }, elements) => toArray(elements, budget)),
	defineMethod("toSet", [collection], ({ budget }, elements) => toSet(elements, budget)),
	defineMethod("memorize", [collection], (_call, elements) => elements),
	defineMethod("contains", [collection, any("value")], ({ budget }, elements, value) => isIn(value, elements, budget)),
	defineBoth("any", [collection, optional(predicate)], ({ budget }, elements, holds) => {
		for (const element of stepping(elements, budget)) if (holds === undefined || isTrue(holds(element))) return true;
		return false;
	}),
	defineBoth("all", [collection, optional(predicate)], ({ budget }, elements, holds) => {
		for (const element of stepping(elements, budget)) if (!isTrue(holds === undefined ? element : holds(element))) return false;
		return true;
	}),
	defineMethod("sum", [collection, optional(any("initial"))], ({ budget }, elements, initial) =>
		reduce(elements, (a = null, b = null) => operate("+", a, b, budget), initial, budget),
	),
	defineMethod("max", [collection, optional(any("initial"))], ({ budget }, elements, initial) =>
		reduce(elements, (a = null, b = null) => (compare(">", b, a, budget) > 0 ? b : a), initial, budget),
	),
	defineMethod("min", [collection, optional(any("initial"))], ({ budget }, elements, initial) =>
		reduce(elements, (a = null, b = null) => (compare(">", b, a, budget) > 0 ? a : b), initial, budget),
	),
	defineMethod("first", [collection, optional(any("default"))], (_call, elements, fallback) => {
		for (const element of elements) return element;
		return given(fallback, "the list is empty");
	}),
	defineMethod("last", [collection, optional(any("default"))], ({ budget }, elements, fallback) => {
		const known = toArray(elements, budget);
		return known.length > 0 ? (known.at(-1) as YaqlValue) : given(fallback, "the list is empty");
	}),
	defineMethod("single", [collection], ({ budget }, elements) => {
		let found: YaqlValue | undefined;
		for (const element of stepping(elements, budget)) {
			if (found !== undefined) throw new YaqlError("StopIteration", "Collection contains more than one item");
			found = element;
		}
		return given(found, "the list is empty");
	}),
	defineMethod("indexOf", [collection, any("item")], ({ budget }, elements, item) =>
		findIndex(elements, (element) => isEqual(element, item, budget), budget),
	),
	defineMethod("lastIndexOf", [collection, any("item")], ({ budget }, elements, item) =>
		toArray(elements, budget).findLastIndex((element) => isEqual(element, item, budget)),
	),
	defineMethod("indexWhere", [collection, predicate], ({ budget }, elements, holds) =>
		findIndex(elements, (element) => isTrue(holds(element)), budget),
	),
	defineMethod("lastIndexWhere", [collection, predicate], ({ budget }, elements, holds) =>
		toArray(elements, budget).findLastIndex((element) => isTrue(holds(element))),
	),
	defineMethod("aggregate", [collection, lambda("selector"), optional(any("seed"))], ({ budget }, elements, combine, seed) =>
		reduce(elements, combine, seed, budget),
	),
	defineMethod("accumulate", [collection, lambda("selector"), optional(any("seed"))], ({ budget }, elements, combine, seed) =>
		streamOf(() => totals(elements, combine, seed, budget)),
	),
	defineMethod("groupBy", [collection, lambda("keySelector"), optional(lambda("valueSelector")), optional(lambda("aggregator"))], groupBy),
	defineMethod("flatten", [collection], ({ budget }, elements) => streamOf(() => flattened(elements, budget))),
];

/** The elements, and in the place of streams theirs; lists stay. */
function* unrolled(elements: Iterable<YaqlValue>, budget: Budget): Generator<YaqlValue, void> {
	for (const element of stepping(elements, budget)) {
		if (element instanceof Stream) yield* unrolled(element, budget);
		else yield element;
	}
}

/** Sets are lists in which nothing stands twice. */
export function toSet(elements: Iterable<YaqlValue>, budget: Budget): readonly YaqlValue[] {
	const seen = new SeenValues(budget);
	return Array.from(stepping(elements, budget)).filter((element) => seen.add(element));
}

function given(value: YaqlValue | undefined, problem: string): YaqlValue {
	if (value === undefined) throw new YaqlError("StopIteration", problem);
	return value;
}

function findIndex(elements: YaqlList, isSought: (element: YaqlValue) => boolean, budget: Budget): number {
	let index = 0;
	for (const element of stepping(elements, budget)) {
		if (isSought(element)) return index;
		index++;
	}
	return -1;
}

function* totals(elements: YaqlList, combine: Lambda, seed: YaqlValue | undefined, budget: Budget): Generator<YaqlValue, void> {
	let total = seed;
	if (total !== undefined) yield total;
	for (const element of stepping(elements, budget)) {
		total = total === undefined ? element : combine(total, element);
		yield total;
	}
	if (total === undefined) throw new YaqlError("TypeError", "accumulate() of empty sequence with no initial value");
}

/** Pairs of a key and the elements that have it, in the order of their first ones. */
function groupBy(
	{ budget }: { readonly budget: Budget },
	elements: YaqlList,
	keyOf: Lambda,
	valueFor: Lambda | undefined,
	aggregate: Lambda | undefined,
): YaqlValue {
	const simple = new Map<YaqlValue, YaqlValue[]>();
	const groups: [YaqlValue, YaqlValue[]][] = [];
	for (const element of stepping(elements, budget)) {
		const key = keyOf(element);
		const value = valueFor === undefined ? element : valueFor(element);
		const known = simple.get(key) ?? (typeof key === "string" ? undefined : groups.find(([other]) => isEqual(other, key, budget))?.[1]);
		if (known !== undefined) {
			known.push(value);
			continue;
		}
		const group = [value];
		simple.set(key, group);
		groups.push([key, group]);
	}
	return groups.map(([key, values]) => [key, aggregate === undefined ? values : aggregate(values)]);
}
