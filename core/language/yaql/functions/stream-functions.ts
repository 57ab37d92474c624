import type { Budget } from "../../templates/budget.ts";
import { YaqlError } from "../errors.ts";
import { isList, isTrue, toArray, withStepCost, type YaqlList, type YaqlValue } from "../values.ts";
import { defineMethod, defineStreamBoth, defineStreamFunction, defineStreamMethod } from "./define-function.ts";
import { SeenValues } from "./list-tools.ts";
import { any, flag, integer, type Lambda, lambda, list, optional, pairs, rest } from "./parameters.ts";

const collection = list("collection");
const predicate = lambda("predicate");
const position = integer("position");
const count = optional(integer("count"), 1);

/** Functions that create a list from other lists, or generate one. Most compute its elements on demand. */
export const streamFunctions = [
	defineStreamMethod("where", [collection, predicate], function* ({ budget }, elements, isMatch) {
		for (const element of withStepCost(elements, budget)) if (isTrue(isMatch(element))) yield element;
	}),
	defineStreamMethod("select", [collection, lambda("selector")], function* ({ budget }, elements, select) {
		for (const element of withStepCost(elements, budget)) yield select(element);
	}),
	defineStreamMethod("selectMany", [collection, lambda("selector")], function* ({ budget }, elements, select) {
		for (const element of withStepCost(elements, budget)) {
			const selectedValue = select(element);
			if (isList(selectedValue)) yield* selectedValue;
			else yield selectedValue;
		}
	}),
	defineStreamMethod("skip", [collection, integer("count")], ({ budget }, elements, skipCount) =>
		sliceStream(elements, assertNotNegative(skipCount), Number.POSITIVE_INFINITY, budget),
	),
	defineStreamMethod("limit", [collection, integer("count")], ({ budget }, elements, maxCount) =>
		sliceStream(elements, 0, assertNotNegative(maxCount), budget),
	),
	defineStreamMethod("takeWhile", [collection, predicate], function* ({ budget }, elements, isMatch) {
		for (const element of withStepCost(elements, budget)) {
			if (!isTrue(isMatch(element))) return;
			yield element;
		}
	}),
	defineStreamMethod("skipWhile", [collection, predicate], function* ({ budget }, elements, isMatch) {
		let isSkipping = true;
		for (const element of withStepCost(elements, budget)) {
			isSkipping = isSkipping && isTrue(isMatch(element));
			if (!isSkipping) yield element;
		}
	}),
	defineStreamBoth("append", [collection, rest(any("args"))], function* (_call, elements, addedElements) {
		yield* elements;
		yield* addedElements;
	}),
	defineStreamBoth("concat", [rest(list("collections"))], function* (_call, lists) {
		for (const elements of lists) yield* elements;
	}),
	defineStreamBoth("distinct", [collection, optional(lambda("keySelector"))], function* ({ budget }, elements, key) {
		const seenValues = new SeenValues(budget);
		for (const element of withStepCost(elements, budget)) if (seenValues.add(key === undefined ? element : key(element))) yield element;
	}),
	defineStreamBoth("enumerate", [collection, optional(integer("start"), 0)], function* ({ budget }, elements, start) {
		let index = start;
		for (const element of withStepCost(elements, budget)) yield [checkCount(index++), element];
	}),
	defineStreamMethod("zip", [rest(list("collections"))], ({ budget }, lists) => zip(lists, undefined, budget)),
	defineStreamMethod("zipLongest", [rest(list("collections")), pairs], ({ budget }, lists, named) => {
		const [pair] = named;
		if (named.length > 1 || (pair !== undefined && pair.name !== "default"))
			throw new YaqlError("TypeError", '"zipLongest" takes only the keyword "default"');
		return zip(lists, pair?.value.value() ?? null, budget);
	}),
	defineStreamMethod(
		"join",
		[collection, list("collection2"), predicate, lambda("selector")],
		function* ({ budget }, elements, others, isMatch, toResult) {
			for (const element of withStepCost(elements, budget)) {
				for (const other of withStepCost(others, budget)) if (isTrue(isMatch(element, other))) yield toResult(element, other);
			}
		},
	),
	defineMethod("insert", [collection, position, any("value")], ({ budget }, elements, index, value) => {
		const copy = [...toArray(elements, budget)];
		budget.spendSteps(copy.length);
		copy.splice(index, 0, value);
		return copy;
	}),
	defineMethod("insertMany", [collection, position, list("values")], ({ budget }, elements, index, values) => {
		const copy = toArray(elements, budget);
		const start = Math.max(index, 0);
		return [...copy.slice(0, start), ...toArray(values, budget), ...copy.slice(start)];
	}),
	defineMethod("delete", [collection, position, count], ({ budget }, elements, index, size) =>
		replaceElements(elements, index, size, [], budget),
	),
	defineMethod("replace", [collection, position, any("value"), count], ({ budget }, elements, index, value, size) =>
		replaceElements(elements, index, size, [value], budget),
	),
	defineMethod("replaceMany", [collection, position, list("values"), count], ({ budget }, elements, index, values, size) =>
		replaceElements(elements, index, size, toArray(values, budget), budget),
	),
	defineMethod("defaultIfEmpty", [collection, list("default")], (_call, elements, other) => (isTrue(elements) ? elements : other)),
	defineStreamFunction("range", [integer("stop")], (_call, stop) => countFrom(0, 1, stop)),
	defineStreamFunction("range", [integer("start"), integer("stop"), optional(integer("step"), 1)], (_call, start, stop, step) => {
		if (step === 0) throw new YaqlError("ValueError", "range() arg 3 must not be zero");
		return countFrom(start, step, stop);
	}),
	defineStreamFunction("sequence", [optional(integer("start"), 0), optional(integer("step"), 1)], (_call, start, step) =>
		countFrom(start, step, undefined),
	),
	defineStreamMethod("repeat", [any("value"), optional(integer("times"), -1)], function* (_call, value, times) {
		for (let index = 0; times < 0 || index < times; index++) yield value;
	}),
	defineStreamMethod("cycle", [collection], function* ({ budget }, elements) {
		const array = toArray(elements, budget);
		while (array.length > 0) yield* array;
	}),
	defineStreamFunction(
		"generate",
		[any("initial"), predicate, lambda("producer"), optional(lambda("selector")), optional(flag("decycle"), false)],
		function* ({ budget }, initial, isMatch, produce, select, shouldSkipRepeated) {
			const seenValues = shouldSkipRepeated ? new SeenValues(budget) : undefined;
			for (let value = initial; isTrue(isMatch(value)); value = produce(value)) {
				if (seenValues?.add(value) === false) return;
				yield select === undefined ? value : select(value);
			}
		},
	),
	defineStreamFunction(
		"generateMany",
		[
			any("initial"),
			lambda("producer"),
			optional(lambda("selector")),
			optional(flag("decycle"), false),
			optional(flag("depthFirst"), false),
		],
		({ budget }, initial, produce, select, shouldSkipRepeated, isDepthFirst) =>
			generateMany(initial, { produce, select, shouldSkipRepeated, isDepthFirst, budget }),
	),
];

function assertNotNegative(number: number): number {
	if (number < 0) throw new YaqlError("ValueError", "the number of elements must not be negative");
	return number;
}

function* sliceStream(elements: YaqlList, start: number, end: number, budget: Budget): Generator<YaqlValue, void> {
	if (end <= 0) return;
	let index = 0;
	for (const element of withStepCost(elements, budget)) {
		if (index >= start) yield element;
		if (++index >= end) return;
	}
}

function* countFrom(start: number, step: number, stop: number | undefined): Generator<YaqlValue, void> {
	for (let number = start; stop === undefined || (step > 0 ? number < stop : number > stop); number += step) yield checkCount(number);
}

/** Returns the number. Throws `OverflowError` beyond the safe integers, where adding one may not change a number. */
function checkCount(number: number): number {
	if (Number.isSafeInteger(number)) return number;
	throw new YaqlError("OverflowError", `a count goes beyond ±${Number.MAX_SAFE_INTEGER}`);
}

/** Yields rows with one element of each list. Without a filler, the rows stop at the end of the shortest list. */
function* zip(lists: readonly YaqlList[], fillValue: YaqlValue | undefined, budget: Budget): Generator<YaqlValue, void> {
	const sources = lists.map((elements) => elements[Symbol.iterator]());
	while (sources.length > 0) {
		budget.spendSteps(sources.length);
		const row = sources.map((source) => source.next());
		const endedCount = row.filter(({ done }) => done === true).length;
		if (endedCount === row.length || (fillValue === undefined && endedCount > 0)) return;
		yield row.map(({ done, value }) => (done === true ? (fillValue ?? null) : (value as YaqlValue)));
	}
}

/** Replaces `count` elements from a position on; a negative count replaces all following elements. */
function replaceElements(elements: YaqlList, position: number, count: number, values: readonly YaqlValue[], budget: Budget): YaqlValue {
	const array = toArray(elements, budget);
	const isInRange = (index: number) => (count < 0 ? index >= position : index >= position && index < position + count);
	let isDone = false;
	return array.flatMap((element, index) => {
		budget.spendSteps();
		if (!isInRange(index)) return [element];
		const insertedValues = isDone ? [] : values;
		isDone = true;
		return insertedValues;
	});
}

interface GenerateManyOptions {
	readonly produce: Lambda;
	readonly select: Lambda | undefined;
	readonly shouldSkipRepeated: boolean;
	readonly isDepthFirst: boolean;
	readonly budget: Budget;
}

function* generateMany(initial: YaqlValue, options: GenerateManyOptions): Generator<YaqlValue, void> {
	const { produce, select, shouldSkipRepeated, isDepthFirst, budget } = options;
	const seenValues = shouldSkipRepeated ? new SeenValues(budget) : undefined;
	let queue: YaqlValue[] = [initial];
	for (let index = 0; index < queue.length; index++) {
		budget.spendSteps();
		const value = queue[index] as YaqlValue;
		if (seenValues?.add(value) === false) continue;
		yield select === undefined ? value : select(value);
		const producedList = produce(value);
		if (!isList(producedList)) throw new YaqlError("TypeError", "a producer gives a list");
		const addedElements = toArray(producedList, budget);
		if (!isDepthFirst) {
			for (const element of addedElements) queue.push(element);
			continue;
		}
		budget.spendSteps(queue.length - index);
		queue = [...addedElements, ...queue.slice(index + 1)];
		index = -1;
	}
}
