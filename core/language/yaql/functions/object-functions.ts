import type { Budget } from "../../templates/budget.ts";
import { YaqlError } from "../errors.ts";
import { isEqual } from "../operators.ts";
import {
	isList,
	isObject,
	Stream,
	toArray,
	toKey,
	typeName,
	withStepCost,
	type YaqlList,
	type YaqlObject,
	type YaqlValue,
} from "../values.ts";
import { defineBoth, defineFunction, defineMethod } from "./define-function.ts";
import { toSet } from "./list-tools.ts";
import { any, integer, type Lambda, lambda, list, object, optional, pairs, rest } from "./parameters.ts";

/** Functions of objects, which YAQL calls dictionaries. No function changes its arguments. */
export const objectFunctions = [
	defineFunction("dict", [pairs], (_call, entries) =>
		Object.fromEntries(entries.map(({ key, value }): [string, YaqlValue] => [toKey(key.value()), value.value()])),
	),
	defineFunction("dict", [list("items")], ({ budget }, items) => fromPairs(items, budget)),
	defineFunction("isDict", [any("arg")], (_call, value) => isObject(value)),
	defineBoth("len", [object("dict")], (_call, dict) => Object.keys(dict).length),
	defineBoth("isEmpty", [object("dict")], (_call, dict) => Object.keys(dict).length === 0),
	defineMethod("get", [object("dict"), any("key"), optional(any("default"), null)], (_call, dict, key, fallback) => {
		const name = toKey(key);
		return Object.hasOwn(dict, name) ? (dict[name] as YaqlValue) : fallback;
	}),
	defineMethod("set", [object("dict"), any("key"), any("value")], ({ budget }, dict, key, value) =>
		mergeEntries(dict, [[toKey(key), value]], budget),
	),
	defineMethod("set", [object("dict"), object("replacements")], ({ budget }, dict, replacements) =>
		mergeEntries(dict, Object.entries(replacements), budget),
	),
	defineMethod("set", [object("dict"), pairs], ({ budget }, dict, entries) =>
		mergeEntries(
			dict,
			entries.map(({ key, value }): [string, YaqlValue] => [toKey(key.value()), value.value()]),
			budget,
		),
	),
	// These functions return streams: `list` replaces a stream by its elements, and all other functions treat it as a list.
	defineMethod("keys", [object("dict")], (_call, dict) => new Stream(Object.keys(dict))),
	defineMethod("values", [object("dict")], (_call, dict) => new Stream(Object.values(dict))),
	defineMethod("items", [object("dict")], (_call, dict) => new Stream(Object.entries(dict))),
	defineMethod("containsKey", [object("dict"), any("key")], (_call, dict, key) => Object.hasOwn(dict, toKey(key))),
	defineMethod("containsValue", [object("dict"), any("value")], ({ budget }, dict, value) =>
		Object.values(dict).some((member) => isEqual(member, value, budget)),
	),
	defineMethod("delete", [object("dict"), rest(any("keys"))], ({ budget }, dict, keys) => withoutKeys(dict, keys, budget)),
	defineMethod("deleteAll", [object("dict"), list("keys")], ({ budget }, dict, keys) => withoutKeys(dict, keys, budget)),
	defineMethod(
		"toDict",
		[list("collection"), lambda("keySelector"), optional(lambda("valueSelector"))],
		({ budget }, elements, key, value) =>
			Object.fromEntries(
				Array.from(withStepCost(elements, budget), (element): [string, YaqlValue] => [
					toKey(key(element)),
					value === undefined ? element : value(element),
				]),
			),
	),
	defineMethod(
		"mergeWith",
		[object("dict"), object("another"), optional(lambda("listMerger")), optional(lambda("itemMerger")), optional(integer("maxLevels"), 0)],
		({ budget }, dict, another, mergeLists, mergeItems, levels) =>
			merge(dict, another, { mergeLists, mergeItems, levels, depth: 0, budget }),
	),
];

function fromPairs(items: YaqlList, budget: Budget): YaqlValue {
	const entries = Array.from(withStepCost(items, budget), (item): [string, YaqlValue] => {
		const [key, value] = isList(item) ? toArray(item, budget) : [];
		if (key === undefined || value === undefined) throw new YaqlError("TypeError", "an object is made of pairs of a key and a value");
		return [toKey(key), value];
	});
	return Object.fromEntries(entries);
}

function mergeEntries(dict: YaqlObject, entries: readonly (readonly [string, YaqlValue])[], budget: Budget): YaqlValue {
	const ownEntries = Object.entries(dict);
	budget.spendSteps(ownEntries.length + entries.length);
	return Object.fromEntries([...ownEntries, ...entries]);
}

function withoutKeys(dict: YaqlObject, keys: Iterable<YaqlValue>, budget: Budget): YaqlValue {
	const removedKeys = new Set(Array.from(withStepCost(keys, budget), toKey));
	budget.spendSteps(Object.keys(dict).length);
	return Object.fromEntries(Object.entries(dict).filter(([key]) => !removedKeys.has(key)));
}

interface MergeOptions {
	readonly mergeLists: Lambda | undefined;
	readonly mergeItems: Lambda | undefined;
	/** Number of levels to merge; 0 merges all. */
	readonly levels: number;
	readonly depth: number;
	readonly budget: Budget;
}

function merge(left: YaqlObject, right: YaqlObject, options: MergeOptions): YaqlValue {
	const { depth, budget } = options;
	budget.checkDepth(depth);
	budget.spendSteps(Object.keys(left).length + Object.keys(right).length);
	const ownEntries = Object.entries(left).map(([key, value]): [string, YaqlValue] => [
		key,
		Object.hasOwn(right, key) ? mergeMember(value, right[key] as YaqlValue, options) : value,
	]);
	return Object.fromEntries([...ownEntries, ...Object.entries(right).filter(([key]) => !Object.hasOwn(left, key))]);
}

function mergeMember(left: YaqlValue, right: YaqlValue, options: MergeOptions): YaqlValue {
	const { mergeLists, mergeItems, levels, depth, budget } = options;
	if (levels === 1 || !(isObject(right) || isList(right))) return mergeItems === undefined ? right : mergeItems(left, right);
	if (isObject(left) && isObject(right)) return merge(left, right, { ...options, levels: levels === 0 ? 0 : levels - 1, depth: depth + 1 });
	if (!isList(left) || !isList(right)) throw new YaqlError("TypeError", `Cannot merge ${typeName(left)} with ${typeName(right)}`);
	return mergeLists === undefined ? toSet([...toArray(left, budget), ...toArray(right, budget)], budget) : mergeLists(left, right);
}
