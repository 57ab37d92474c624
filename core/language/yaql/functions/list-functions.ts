import type { Budget } from "../../templates/budget.ts";
import { YaqlError } from "../errors.ts";
import { applyOperator, compare, isEqual, isIn } from "../operators.ts";
import { isList, isTrue, Stream, toArray, withStepCost, type YaqlList, type YaqlValue } from "../values.ts";
import { defineBoth, defineFunction, defineMethod, defineStreamMethod } from "./define-function.ts";
import { flatten, reduce, toSet } from "./list-tools.ts";
import { any, type Lambda, lambda, list, optional, rest } from "./parameters.ts";

const collection = list("collection");
const predicate = lambda("predicate");

/** Functions that create lists, test them, search them, group them or reduce them to one value. */
export const listFunctions = [
	defineFunction("list", [rest(any("args"))], ({ budget }, elements) => [...unrollStreams(elements, budget)]),
	defineFunction("set", [rest(any("args"))], ({ budget }, elements) => toSet(unrollStreams(elements, budget), budget)),
	defineFunction("isList", [any("arg")], (_call, value) => isList(value)),
	defineFunction("isIterable", [any("value")], (_call, value) => isList(value)),
	defineBoth("len", [collection], ({ budget }, elements) => toArray(elements, budget).length),
	defineBoth("isEmpty", [collection], (_call, elements) => !isTrue(elements)),
	defineMethod("count", [collection], ({ budget }, elements) => toArray(elements, budget).length),
	defineMethod("toList", [collection], ({ budget }, elements) => toArray(elements, budget)),
	defineMethod("toSet", [collection], ({ budget }, elements) => toSet(elements, budget)),
	defineMethod("memorize", [collection], (_call, elements) => elements),
	defineMethod("contains", [collection, any("value")], ({ budget }, elements, value) => isIn(value, elements, budget)),
	defineBoth("any", [collection, optional(predicate)], ({ budget }, elements, isMatch) => {
		for (const element of withStepCost(elements, budget)) if (isMatch === undefined || isTrue(isMatch(element))) return true;
		return false;
	}),
	defineBoth("all", [collection, optional(predicate)], ({ budget }, elements, isMatch) => {
		for (const element of withStepCost(elements, budget)) if (!isTrue(isMatch === undefined ? element : isMatch(element))) return false;
		return true;
	}),
	defineMethod("sum", [collection, optional(any("initial"))], ({ budget }, elements, initial) =>
		reduce(elements, (a = null, b = null) => applyOperator("+", a, b, budget), initial, budget),
	),
	defineMethod("max", [collection, optional(any("initial"))], ({ budget }, elements, initial) =>
		reduce(elements, (a = null, b = null) => (compare(">", b, a, budget) > 0 ? b : a), initial, budget),
	),
	defineMethod("min", [collection, optional(any("initial"))], ({ budget }, elements, initial) =>
		reduce(elements, (a = null, b = null) => (compare(">", b, a, budget) > 0 ? a : b), initial, budget),
	),
	defineMethod("first", [collection, optional(any("default"))], (_call, elements, fallback) => {
		for (const element of elements) return element;
		return requireElement(fallback, "the list is empty");
	}),
	defineMethod("last", [collection, optional(any("default"))], ({ budget }, elements, fallback) => {
		const array = toArray(elements, budget);
		return array.length > 0 ? (array.at(-1) as YaqlValue) : requireElement(fallback, "the list is empty");
	}),
	defineMethod("single", [collection], ({ budget }, elements) => {
		let onlyElement: YaqlValue | undefined;
		for (const element of withStepCost(elements, budget)) {
			if (onlyElement !== undefined) throw new YaqlError("StopIteration", "Collection contains more than one item");
			onlyElement = element;
		}
		return requireElement(onlyElement, "the list is empty");
	}),
	defineMethod("indexOf", [collection, any("item")], ({ budget }, elements, item) =>
		findIndex(elements, (element) => isEqual(element, item, budget), budget),
	),
	defineMethod("lastIndexOf", [collection, any("item")], ({ budget }, elements, item) =>
		toArray(elements, budget).findLastIndex((element) => isEqual(element, item, budget)),
	),
	defineMethod("indexWhere", [collection, predicate], ({ budget }, elements, isMatch) =>
		findIndex(elements, (element) => isTrue(isMatch(element)), budget),
	),
	defineMethod("lastIndexWhere", [collection, predicate], ({ budget }, elements, isMatch) =>
		toArray(elements, budget).findLastIndex((element) => isTrue(isMatch(element))),
	),
	defineMethod("aggregate", [collection, lambda("selector"), optional(any("seed"))], ({ budget }, elements, combine, seed) =>
		reduce(elements, combine, seed, budget),
	),
	defineStreamMethod(
		"accumulate",
		[collection, lambda("selector"), optional(any("seed"))],
		function* ({ budget }, elements, combine, seed) {
			let total = seed;
			if (total !== undefined) yield total;
			for (const element of withStepCost(elements, budget)) {
				total = total === undefined ? element : combine(total, element);
				yield total;
			}
			if (total === undefined) throw new YaqlError("TypeError", "accumulate() of empty sequence with no initial value");
		},
	),
	defineMethod("groupBy", [collection, lambda("keySelector"), optional(lambda("valueSelector")), optional(lambda("aggregator"))], groupBy),
	defineStreamMethod("flatten", [collection], ({ budget }, elements) => flatten(elements, budget)),
];

/** Yields the elements, with streams replaced by their elements. Lists are not replaced. */
function* unrollStreams(elements: Iterable<YaqlValue>, budget: Budget): Generator<YaqlValue, void> {
	for (const element of withStepCost(elements, budget)) {
		if (element instanceof Stream) yield* unrollStreams(element, budget);
		else yield element;
	}
}

function requireElement(value: YaqlValue | undefined, problem: string): YaqlValue {
	if (value === undefined) throw new YaqlError("StopIteration", problem);
	return value;
}

function findIndex(elements: YaqlList, isMatch: (element: YaqlValue) => boolean, budget: Budget): number {
	let index = 0;
	for (const element of withStepCost(elements, budget)) {
		if (isMatch(element)) return index;
		index++;
	}
	return -1;
}

/** Returns pairs of a key and its elements, in the order of the first element with each key. */
function groupBy(
	{ budget }: { readonly budget: Budget },
	elements: YaqlList,
	keyOf: Lambda,
	valueFor: Lambda | undefined,
	aggregate: Lambda | undefined,
): YaqlValue {
	const groupsByKey = new Map<YaqlValue, YaqlValue[]>();
	const groups: [YaqlValue, YaqlValue[]][] = [];
	for (const element of withStepCost(elements, budget)) {
		const key = keyOf(element);
		const value = valueFor === undefined ? element : valueFor(element);
		const existingGroup =
			groupsByKey.get(key) ?? (typeof key === "string" ? undefined : groups.find(([otherKey]) => isEqual(otherKey, key, budget))?.[1]);
		if (existingGroup !== undefined) {
			existingGroup.push(value);
			continue;
		}
		const group = [value];
		groupsByKey.set(key, group);
		groups.push([key, group]);
	}
	return groups.map(([key, values]) => [key, aggregate === undefined ? values : aggregate(values)]);
}
