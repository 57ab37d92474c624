import type { JsonValue } from "../../../contract/index.ts";
import { roundHalfEven } from "../../whole-numbers.ts";
import { parseJsonPath } from "../json-path.ts";
import { toJsonText } from "../python-json.ts";
import { isFloat, isList, isObject, isTrue, memberOf, numberOf, toJson, typeName, type Value, type ValueObject } from "../values.ts";
import type { Filter, FilterContext } from "./filter.ts";

export const valueFilters: Readonly<Record<string, Filter>> = {
	decrypt_kv: (input, args, { decrypt, budget }) => {
		if (typeof input !== "string") throw args.error("needs the value of a datastore item");
		if (input === "") throw args.error("cannot decrypt a datastore item that is absent or empty");
		budget.spendText(input.length);
		return decrypt(input);
	},
	jsonpath_query: (input, args, { budget }) => {
		if (!isObject(input) && !isList(input)) throw args.error(`needs an object or a list, not ${typeName(input)}`);
		const values: JsonValue[] = [];
		const visit = (value: JsonValue) => {
			values.push(value);
			return false;
		};
		parseJsonPath(args.text(0, "query")).walk(toJson(input, 0, budget), visit, budget);
		return values.length === 0 ? null : values;
	},
	json_escape: (input, args, { budget }) => {
		if (typeof input !== "string") throw args.error(`needs a string, not ${typeName(input)}`);
		return toJsonText(input, { itemSeparator: ", ", keySeparator: ": " }, budget).slice(1, -1);
	},
	combine: (input, args, { budget }) => {
		const isRecursive = isTrue(args.named.get("recursive") ?? false);
		return [input, ...args.positional].reduce<Value>((merged, next) => {
			if (!isObject(merged) || !isObject(next)) throw args.error(`needs objects, not ${typeName(isObject(merged) ? next : merged)}`);
			return merge(merged, next, { isRecursive, depth: 0, budget });
		}, {});
	},
	attr: (input, args, { budget }) => memberOf(input, args.text(0, "name"), budget, true),
	basename: (input, args) => {
		const path = pathOf(input, args);
		return path.slice(path.lastIndexOf("/") + 1);
	},
	dirname: (input, args) => {
		const path = pathOf(input, args);
		const head = path.slice(0, path.lastIndexOf("/") + 1);
		let end = head.length;
		while (end > 0 && head[end - 1] === "/") end--;
		return end === 0 ? head : head.slice(0, end);
	},
	to_human_time_from_seconds: (input, args) => {
		const seconds = typeof input === "boolean" ? Number.NaN : Number(numberOf(input) ?? Number.NaN);
		if (!(seconds >= 0)) throw args.error("needs a number of seconds of at least 0");
		if (seconds === 0) return "0s";
		return seconds < 1 ? `${seconds}μs` : humanTime(isFloat(input) ? roundHalfEven(seconds) : seconds);
	},
};

interface MergeOptions {
	readonly isRecursive: boolean;
	readonly depth: number;
	readonly budget: FilterContext["budget"];
}

/** Returns an object with the members of both; a member of `next` takes precedence. */
function merge(object: ValueObject, next: ValueObject, { isRecursive, depth, budget }: MergeOptions): ValueObject {
	budget.checkDepth(depth);
	budget.spendSteps(Object.keys(object).length + Object.keys(next).length);
	const mergedMembers = new Map(Object.entries(object));
	for (const [name, value] of Object.entries(next)) {
		const previousValue = mergedMembers.get(name);
		const isNested = isRecursive && previousValue !== undefined && isObject(previousValue) && isObject(value);
		mergedMembers.set(name, isNested ? merge(previousValue, value, { isRecursive, depth: depth + 1, budget }) : value);
	}
	return Object.fromEntries(mergedMembers);
}

function pathOf(input: Value, args: Parameters<Filter>[1]): string {
	if (typeof input === "string") return input;
	throw args.error(`needs a path, not ${typeName(input)}`);
}

const timeUnits = [
	["y", 365 * 86_400],
	["d", 86_400],
	["h", 3_600],
	["m", 60],
	["s", 1],
] as const;

/** Returns a duration such as `3h25m45s`. Units above the largest unit that is not zero are omitted; all units below it are included. */
function humanTime(seconds: number): string {
	let remainingSeconds = seconds;
	const parts = timeUnits.map(([unit, size]) => {
		const count = Math.floor(remainingSeconds / size);
		remainingSeconds -= count * size;
		return { count, unit };
	});
	return parts
		.slice(parts.findIndex(({ count }) => count > 0))
		.map(({ count, unit }) => `${count}${unit}`)
		.join("");
}
