import type { Budget } from "../../templates/budget.ts";
import { YaqlError } from "../errors.ts";
import { isList, isTrue, stepping, toArray, type YaqlList, type YaqlValue } from "../values.ts";
import { streamOf } from "./branching-functions.ts";
import {
	any,
	defineBoth,
	defineFunction,
	defineMethod,
	flag,
	integer,
	type Lambda,
	lambda,
	list,
	optional,
	pairs,
	rest,
} from "./define-function.ts";
import { SeenValues } from "./list-tools.ts";

const collection = list("collection");
const predicate = lambda("predicate");
const position = integer("position");
const count = optional(integer("count"), 1);

/** Functions that make a list of another or of nothing. Their elements are made when they are asked for. */
export const streamFunctions = [
	defineMethod("where", [collection, predicate], ({ budget }, elements, holds) =>
		streamOf(function* () {
			for (const element of stepping(elements, budget)) if (isTrue(holds(element))) yield element;
		}),
	),
	defineMethod("select", [collection, lambda("selector")], ({ budget }, elements, change) =>
		streamOf(function* () {
			for (const element of stepping(elements, budget)) yield change(element);
		}),
	),
	defineMethod("selectMany", [collection, lambda("selector")], ({ budget }, elements, change) =>
		streamOf(function* () {
			for (const element of stepping(elements, budget)) {
				const inner = change(element);
				if (isList(inner)) yield* inner;
				else yield inner;
			}
		}),
	),
	defineMethod("skip", [collection, integer("count")], ({ budget }, elements, skipped) => {
		const first = notNegative(skipped);
		return streamOf(() => ranged(elements, first, Number.POSITIVE_INFINITY, budget));
	}),
	defineMethod("limit", [collection, integer("count")], ({ budget }, elements, most) => {
		const end = notNegative(most);
		return streamOf(() => ranged(elements, 0, end, budget));
	}),
	defineMethod("takeWhile", [collection, predicate], ({ budget }, elements, holds) =>
		streamOf(function* () {
			for (const element of stepping(elements, budget)) {
				if (!isTrue(holds(element))) return;
				yield element;
			}
		}),
	),
	defineMethod("skipWhile", [collection, predicate], ({ budget }, elements, holds) =>
		streamOf(function* () {
			let isSkipping = true;
			for (const element of stepping(elements, budget)) {
				isSkipping = isSkipping && isTrue(holds(element));
				if (!isSkipping) yield element;
			}
		}),
	),
	defineBoth("append", [collection, rest(any("args"))], (_call, elements, more) =>
		streamOf(function* () {
			yield* elements;
			yield* more;
		}),
	),
	defineBoth("concat", [rest(list("collections"))], (_call, lists) =>
		streamOf(function* () {
			for (const elements of lists) yield* elements;
		}),
	),
	defineBoth("distinct", [collection, optional(lambda("keySelector"))], ({ budget }, elements, key) =>
		streamOf(function* () {
			const seen = new SeenValues(budget);
			for (const element of stepping(elements, budget)) if (seen.add(key === undefined ? element : key(element))) yield element;
		}),
	),
	defineBoth("enumerate", [collection, optional(integer("start"), 0)], ({ budget }, elements, start) =>
		streamOf(function* () {
			let index = start;
			for (const element of stepping(elements, budget)) yield [counted(index++), element];
		}),
	),
	defineMethod("zip", [rest(list("collections"))], ({ budget }, lists) => streamOf(() => zipped(lists, undefined, budget))),
	defineMethod("zipLongest", [rest(list("collections")), pairs], ({ budget }, lists, named) => {
		const [pair] = named;
		if (named.length > 1 || (pair !== undefined && pair.name !== "default"))
			throw new YaqlError("TypeError", '"zipLongest" has no name but "default"');
		const filler = pair?.value.value() ?? null;
		return streamOf(() => zipped(lists, filler, budget));
	}),
	defineMethod("join", [collection, list("collection2"), predicate, lambda("selector")], ({ budget }, elements, others, fits, make) =>
		streamOf(function* () {
			for (const element of stepping(elements, budget)) {
				for (const other of stepping(others, budget)) if (isTrue(fits(element, other))) yield make(element, other);
			}
		}),
	),
	defineMethod("insert", [collection, position, any("value")], ({ budget }, elements, place, value) => {
		const copy = [...toArray(elements, budget)];
		budget.step(copy.length);
		copy.splice(place, 0, value);
		return copy;
	}),
	defineMethod("insertMany", [collection, position, list("values")], ({ budget }, elements, place, values) => {
		const copy = toArray(elements, budget);
		const start = Math.max(place, 0);
		return [...copy.slice(0, start), ...toArray(values, budget), ...copy.slice(start)];
	}),
	defineMethod("delete", [collection, position, count], ({ budget }, elements, place, size) => replaced(elements, place, size, [], budget)),
	defineMethod("replace", [collection, position, any("value"), count], ({ budget }, elements, place, value, size) =>
		replaced(elements, place, size, [value], budget),
	),
	defineMethod("replaceMany", [collection, position, list("values"), count], ({ budget }, elements, place, values, size) =>
		replaced(elements, place, size, toArray(values, budget), budget),
	),
	defineMethod("defaultIfEmpty", [collection, list("default")], (_call, elements, other) => (isTrue(elements) ? elements : other)),
	defineFunction("range", [integer("stop")], (_call, stop) => streamOf(() => numbers(0, 1, stop))),
	defineFunction("range", [integer("start"), integer("stop"), optional(integer("step"), 1)], (_call, start, stop, step) => {
		if (step === 0) throw new YaqlError("ValueError", "range() arg 3 must not be zero");
		return streamOf(() => numbers(start, step, stop));
	}),
	defineFunction("sequence", [optional(integer("start"), 0), optional(integer("step"), 1)], (_call, start, step) =>
		streamOf(() => numbers(start, step, undefined)),
	),
	defineMethod("repeat", [any("value"), optional(integer("times"), -1)], (_call, value, times) =>
		streamOf(function* () {
			for (let index = 0; times < 0 || index < times; index++) yield value;
		}),
	),
	defineMethod("cycle", [collection], ({ budget }, elements) =>
		streamOf(function* () {
			const known = toArray(elements, budget);
			while (known.length > 0) yield* known;
		}),
	),
	defineFunction(
		"generate",
		[any("initial"), predicate, lambda("producer"), optional(lambda("selector")), optional(flag("decycle"), false)],
		({ budget }, initial, holds, produce, change, decycle) =>
			streamOf(function* () {
				const seen = decycle ? new SeenValues(budget) : undefined;
				for (let value = initial; isTrue(holds(value)); value = produce(value)) {
					if (seen?.add(value) === false) return;
					yield change === undefined ? value : change(value);
				}
			}),
	),
	defineFunction(
		"generateMany",
		[
			any("initial"),
			lambda("producer"),
			optional(lambda("selector")),
			optional(flag("decycle"), false),
			optional(flag("depthFirst"), false),
		],
		({ budget }, initial, produce, change, decycle, depthFirst) =>
			streamOf(() => generateMany(initial, { produce, change, decycle, depthFirst, budget })),
	),
];

function notNegative(number: number): number {
	if (number < 0) throw new YaqlError("ValueError", "the number of elements must not be negative");
	return number;
}

function* ranged(elements: YaqlList, start: number, end: number, budget: Budget): Generator<YaqlValue, void> {
	if (end <= 0) return;
	let index = 0;
	for (const element of stepping(elements, budget)) {
		if (index >= start) yield element;
		if (++index >= end) return;
	}
}

function* numbers(start: number, step: number, stop: number | undefined): Generator<YaqlValue, void> {
	for (let number = start; stop === undefined || (step > 0 ? number < stop : number > stop); number += step) yield counted(number);
}

/** A number that is counted on from: one more than it is another number. */
function counted(number: number): number {
	if (Number.isSafeInteger(number)) return number;
	throw new YaqlError("OverflowError", `a count goes beyond ±${Number.MAX_SAFE_INTEGER}`);
}

/** Rows of one element each; without a filler until the shortest list ends. */
function* zipped(lists: readonly YaqlList[], filler: YaqlValue | undefined, budget: Budget): Generator<YaqlValue, void> {
	const sources = lists.map((elements) => elements[Symbol.iterator]());
	while (sources.length > 0) {
		budget.step(sources.length);
		const row = sources.map((source) => source.next());
		const ended = row.filter(({ done }) => done === true).length;
		if (ended === row.length || (filler === undefined && ended > 0)) return;
		yield row.map(({ done, value }) => (done === true ? (filler ?? null) : (value as YaqlValue)));
	}
}

/** Elements from a position on replaced; by a negative number all that follow. */
function replaced(elements: YaqlList, position: number, count: number, values: readonly YaqlValue[], budget: Budget): YaqlValue {
	const known = toArray(elements, budget);
	const isReplaced = (index: number) => (count < 0 ? index >= position : index >= position && index < position + count);
	let isDone = false;
	return known.flatMap((element, index) => {
		budget.step();
		if (!isReplaced(index)) return [element];
		const inserted = isDone ? [] : values;
		isDone = true;
		return inserted;
	});
}

interface GenerateManyOptions {
	readonly produce: Lambda;
	readonly change: Lambda | undefined;
	readonly decycle: boolean;
	readonly depthFirst: boolean;
	readonly budget: Budget;
}

function* generateMany(initial: YaqlValue, options: GenerateManyOptions): Generator<YaqlValue, void> {
	const { produce, change, decycle, depthFirst, budget } = options;
	const seen = decycle ? new SeenValues(budget) : undefined;
	let waiting: YaqlValue[] = [initial];
	for (let index = 0; index < waiting.length; index++) {
		budget.step();
		const value = waiting[index] as YaqlValue;
		if (seen?.add(value) === false) continue;
		yield change === undefined ? value : change(value);
		const produced = produce(value);
		if (!isList(produced)) throw new YaqlError("TypeError", "a producer gives a list");
		const more = toArray(produced, budget);
		if (!depthFirst) {
			for (const element of more) waiting.push(element);
			continue;
		}
		budget.step(waiting.length - index);
		waiting = [...more, ...waiting.slice(index + 1)];
		index = -1;
	}
}
