import type { Budget } from "../../templates/budget.ts";
import { compare, isEqual } from "../operators.ts";
import { isTrue, type Order, OrderedStream, toArray, type YaqlList, type YaqlValue } from "../values.ts";
import { streamOf } from "./branching-functions.ts";
import { any, defineMethod, integer, type Lambda, lambda, list, mismatch, type Parameter, rest } from "./define-function.ts";
import { toSet } from "./list-functions.ts";
import { SeenValues } from "./list-tools.ts";

const collection = list("collection");
const selector = lambda("selector");
const predicate = lambda("predicate");
const left = list("left");
const right = list("right");

const ordered: Parameter<OrderedStream> = {
	name: "collection",
	takes: "one",
	read: (argument) => {
		const value = argument.value();
		return value instanceof OrderedStream ? value : mismatch;
	},
};

/** Functions that order a list, cut it, or compare it with another. */
export const orderFunctions = [
	defineMethod("orderBy", [collection, selector], ({ budget }, elements, key) =>
		order(toArray(elements, budget), [orderBy(key, 1, budget)], budget),
	),
	defineMethod("orderByDescending", [collection, selector], ({ budget }, elements, key) =>
		order(toArray(elements, budget), [orderBy(key, -1, budget)], budget),
	),
	defineMethod("thenBy", [ordered, selector], ({ budget }, { elements, orders }, key) =>
		order(elements, [...orders, orderBy(key, 1, budget)], budget),
	),
	defineMethod("thenByDescending", [ordered, selector], ({ budget }, { elements, orders }, key) =>
		order(elements, [...orders, orderBy(key, -1, budget)], budget),
	),
	defineMethod("reverse", [collection], ({ budget }, elements) => [...toArray(elements, budget)].reverse()),
	defineMethod("slice", [collection, integer("length")], ({ budget }, elements, length) =>
		streamOf(() => sliced(elements, length, budget)),
	),
	defineMethod("splitAt", [collection, integer("index")], ({ budget }, elements, index) => {
		const known = toArray(elements, budget);
		return [known.slice(0, index), known.slice(index)];
	}),
	defineMethod("splitWhere", [collection, predicate], ({ budget }, elements, isCut) => splitWhere(toArray(elements, budget), isCut)),
	defineMethod("sliceWhere", [collection, predicate], ({ budget }, elements, mark) => sliceWhere(toArray(elements, budget), mark, budget)),
	defineMethod("union", [left, right], ({ budget }, a, b) => toSet([...toArray(a, budget), ...toArray(b, budget)], budget)),
	defineMethod("intersect", [left, right], ({ budget }, a, b) => selected(a, b, true, budget)),
	defineMethod("difference", [left, right], ({ budget }, a, b) => selected(a, b, false, budget)),
	defineMethod("symmetricDifference", [left, right], ({ budget }, a, b) => [
		...selected(a, b, false, budget),
		...selected(b, a, false, budget),
	]),
	defineMethod("add", [collection, rest(any("values"))], ({ budget }, elements, more) =>
		toSet([...toArray(elements, budget), ...more], budget),
	),
	defineMethod("remove", [collection, rest(any("values"))], ({ budget }, elements, less) => selected(elements, less, false, budget)),
];

function orderBy(key: Lambda, sign: 1 | -1, budget: Budget): Order {
	return (a, b) => sign * compare("<", key(a), key(b), budget);
}

function order(elements: readonly YaqlValue[], orders: readonly Order[], budget: Budget): OrderedStream {
	const sorted = function* () {
		budget.step(elements.length);
		yield* [...elements].sort((a, b) => {
			for (const compared of orders) {
				const result = compared(a, b);
				if (result !== 0) return result;
			}
			return 0;
		});
	};
	return new OrderedStream(elements, orders, sorted());
}

/** Lists of that many elements; the last one may be shorter. */
function* sliced(elements: YaqlList, length: number, budget: Budget): Generator<YaqlValue, void> {
	let part: YaqlValue[] = [];
	if (length <= 0) return;
	for (const element of elements) {
		budget.step();
		part.push(element);
		if (part.length < length) continue;
		yield part;
		part = [];
	}
	if (part.length > 0) yield part;
}

/** Parts between the elements for which the predicate holds, which are left out. */
function splitWhere(elements: readonly YaqlValue[], isCut: Lambda): YaqlValue {
	const parts: YaqlValue[] = [];
	let start = 0;
	for (const [index, element] of elements.entries()) {
		if (!isTrue(isCut(element))) continue;
		parts.push(elements.slice(start, index));
		start = index + 1;
	}
	return start < elements.length ? [...parts, elements.slice(start)] : parts;
}

/** Parts within which the predicate gives the same. */
function sliceWhere(elements: readonly YaqlValue[], mark: Lambda, budget: Budget): YaqlValue {
	const parts: YaqlValue[][] = [];
	let last: YaqlValue | undefined;
	for (const element of elements) {
		const next = mark(element);
		const part = parts.at(-1);
		if (part !== undefined && last !== undefined && isEqual(last, next, budget)) part.push(element);
		else parts.push([element]);
		last = next;
	}
	return parts;
}

/** Elements of a list, each once, that the other one has, or has not. */
function selected(elements: YaqlList, others: YaqlList, isHad: boolean, budget: Budget): readonly YaqlValue[] {
	const known = new SeenValues(budget);
	for (const other of toArray(others, budget)) known.add(other);
	return toSet(elements, budget).filter((element) => known.has(element) === isHad);
}
