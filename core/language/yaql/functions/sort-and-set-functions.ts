import type { Budget } from "../../templates/budget.ts";
import { compare, isEqual } from "../operators.ts";
import { isTrue, type Order, OrderedStream, toArray, withStepCost, type YaqlList, type YaqlValue } from "../values.ts";
import { defineMethod, defineStreamMethod } from "./define-function.ts";
import { SeenValues, toSet } from "./list-tools.ts";
import { any, integer, type Lambda, lambda, list, ordered, rest } from "./parameters.ts";

const collection = list("collection");
const selector = lambda("selector");
const predicate = lambda("predicate");
const left = list("left");
const right = list("right");
const sortedCollection = ordered("collection");

/** Functions that sort or split a list, or combine it with another list. */
export const orderFunctions = [
	defineMethod("orderBy", [collection, selector], ({ budget }, elements, key) =>
		order(toArray(elements, budget), [orderBy(key, 1, budget)], budget),
	),
	defineMethod("orderByDescending", [collection, selector], ({ budget }, elements, key) =>
		order(toArray(elements, budget), [orderBy(key, -1, budget)], budget),
	),
	defineMethod("thenBy", [sortedCollection, selector], ({ budget }, { elements, comparators }, key) =>
		order(elements, [...comparators, orderBy(key, 1, budget)], budget),
	),
	defineMethod("thenByDescending", [sortedCollection, selector], ({ budget }, { elements, comparators }, key) =>
		order(elements, [...comparators, orderBy(key, -1, budget)], budget),
	),
	defineMethod("reverse", [collection], ({ budget }, elements) => [...toArray(elements, budget)].reverse()),
	// The last list may have fewer elements.
	defineStreamMethod("slice", [collection, integer("length")], function* ({ budget }, elements, length) {
		let part: YaqlValue[] = [];
		if (length <= 0) return;
		for (const element of withStepCost(elements, budget)) {
			part.push(element);
			if (part.length < length) continue;
			yield part;
			part = [];
		}
		if (part.length > 0) yield part;
	}),
	defineMethod("splitAt", [collection, integer("index")], ({ budget }, elements, index) => {
		const array = toArray(elements, budget);
		return [array.slice(0, index), array.slice(index)];
	}),
	defineMethod("splitWhere", [collection, predicate], ({ budget }, elements, isSeparator) =>
		splitWhere(toArray(elements, budget), isSeparator),
	),
	defineMethod("sliceWhere", [collection, predicate], ({ budget }, elements, keyOf) =>
		sliceWhere(toArray(elements, budget), keyOf, budget),
	),
	defineMethod("union", [left, right], ({ budget }, a, b) => toSet([...toArray(a, budget), ...toArray(b, budget)], budget)),
	defineMethod("intersect", [left, right], ({ budget }, a, b) => filterByMembership(a, b, true, budget)),
	defineMethod("difference", [left, right], ({ budget }, a, b) => filterByMembership(a, b, false, budget)),
	defineMethod("symmetricDifference", [left, right], ({ budget }, a, b) => [
		...filterByMembership(a, b, false, budget),
		...filterByMembership(b, a, false, budget),
	]),
	defineMethod("add", [collection, rest(any("values"))], ({ budget }, elements, addedValues) =>
		toSet([...toArray(elements, budget), ...addedValues], budget),
	),
	defineMethod("remove", [collection, rest(any("values"))], ({ budget }, elements, removedValues) =>
		filterByMembership(elements, removedValues, false, budget),
	),
];

function orderBy(key: Lambda, sign: 1 | -1, budget: Budget): Order {
	return (a, b) => sign * compare("<", key(a), key(b), budget);
}

function order(elements: readonly YaqlValue[], orders: readonly Order[], budget: Budget): OrderedStream {
	const sortElements = function* () {
		budget.spendSteps(elements.length);
		yield* [...elements].sort((a, b) => {
			for (const comparator of orders) {
				const result = comparator(a, b);
				if (result !== 0) return result;
			}
			return 0;
		});
	};
	return new OrderedStream(elements, orders, sortElements());
}

/** Splits a list at the elements that satisfy the predicate; these elements are omitted. */
function splitWhere(elements: readonly YaqlValue[], isSeparator: Lambda): YaqlValue {
	const parts: YaqlValue[] = [];
	let start = 0;
	for (const [index, element] of elements.entries()) {
		if (!isTrue(isSeparator(element))) continue;
		parts.push(elements.slice(start, index));
		start = index + 1;
	}
	return start < elements.length ? [...parts, elements.slice(start)] : parts;
}

/** Splits a list into runs of elements with equal results of the lambda. */
function sliceWhere(elements: readonly YaqlValue[], keyOf: Lambda, budget: Budget): YaqlValue {
	const parts: YaqlValue[][] = [];
	let lastKey: YaqlValue | undefined;
	for (const element of elements) {
		const key = keyOf(element);
		const part = parts.at(-1);
		if (part !== undefined && lastKey !== undefined && isEqual(lastKey, key, budget)) part.push(element);
		else parts.push([element]);
		lastKey = key;
	}
	return parts;
}

/** Returns the distinct elements that the other list contains, or does not contain. */
function filterByMembership(elements: YaqlList, others: YaqlList, shouldContain: boolean, budget: Budget): readonly YaqlValue[] {
	const otherValues = new SeenValues(budget);
	for (const other of toArray(others, budget)) otherValues.add(other);
	return toSet(elements, budget).filter((element) => otherValues.has(element) === shouldContain);
}
