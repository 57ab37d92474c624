import type { JsonValue } from "../../../contract/index.ts";
import { parseJsonPath } from "../json-path.ts";
import { toJsonText } from "../python-json.ts";
import { isFloat, isList, isObject, isTrue, memberOf, numberOf, toJson, typeName, type Value, type ValueObject } from "../values.ts";
import type { Filter, FilterContext } from "./filter.ts";

export const valueFilters: Readonly<Record<string, Filter>> = {
	decrypt_kv: (input, given, { decrypt, budget }) => {
		if (typeof input !== "string") throw given.error("needs the text of a datastore item");
		if (input === "") throw given.error("cannot decrypt a datastore item that is absent or empty");
		budget.text(input.length);
		return decrypt(input);
	},
	jsonpath_query: (input, given, { budget }) => {
		if (!isObject(input) && !isList(input)) throw given.error(`needs an object or a list, not ${typeName(input)}`);
		const found: JsonValue[] = [];
		const visit = (value: JsonValue) => {
			found.push(value);
			return false;
		};
		parseJsonPath(given.text(0, "query")).walk(toJson(input, 0, budget), visit, budget);
		return found.length === 0 ? null : found;
	},
	json_escape: (input, given, { budget }) => {
		if (typeof input !== "string") throw given.error(`needs a text, not ${typeName(input)}`);
		return toJsonText(input, { itemSeparator: ", ", keySeparator: ": " }, budget).slice(1, -1);
	},
	combine: (input, given, { budget }) => {
		const recursive = isTrue(given.named.get("recursive") ?? false);
		return [input, ...given.positional].reduce<Value>((merged, next) => {
			if (!isObject(merged) || !isObject(next)) throw given.error(`needs objects, not ${typeName(isObject(merged) ? next : merged)}`);
			return merge(merged, next, { recursive, depth: 0, budget });
		}, {});
	},
	attr: (input, given, { budget }) => memberOf(input, given.text(0, "name"), budget, true),
	basename: (input, given) => {
		const path = pathOf(input, given);
		return path.slice(path.lastIndexOf("/") + 1);
	},
	dirname: (input, given) => {
		const path = pathOf(input, given);
		const head = path.slice(0, path.lastIndexOf("/") + 1);
		let end = head.length;
		while (end > 0 && head[end - 1] === "/") end--;
		return end === 0 ? head : head.slice(0, end);
	},
	to_human_time_from_seconds: (input, given) => {
		const seconds = typeof input === "boolean" ? Number.NaN : Number(numberOf(input) ?? Number.NaN);
		if (!(seconds >= 0)) throw given.error("needs a number of seconds that is not negative");
		if (seconds === 0) return "0s";
		return seconds < 1 ? `${seconds}μs` : humanTime(isFloat(input) ? roundHalfEven(seconds) : seconds);
	},
};

interface Merging {
	readonly recursive: boolean;
	readonly depth: number;
	readonly budget: FilterContext["budget"];
}

/** Returns an object with the members of both; those of `next` win. */
function merge(object: ValueObject, next: ValueObject, { recursive, depth, budget }: Merging): ValueObject {
	budget.depth(depth);
	budget.step(Object.keys(object).length + Object.keys(next).length);
	const merged = new Map(Object.entries(object));
	for (const [name, value] of Object.entries(next)) {
		const before = merged.get(name);
		const isNested = recursive && before !== undefined && isObject(before) && isObject(value);
		merged.set(name, isNested ? merge(before, value, { recursive, depth: depth + 1, budget }) : value);
	}
	return Object.fromEntries(merged);
}

function pathOf(input: Value, given: Parameters<Filter>[1]): string {
	if (typeof input === "string") return input;
	throw given.error(`needs a path, not ${typeName(input)}`);
}

function roundHalfEven(number: number): number {
	return Math.abs(number % 1) === 0.5 ? 2 * Math.round(number / 2) : Math.round(number);
}

const units = [
	["y", 365 * 86_400],
	["d", 86_400],
	["h", 3_600],
	["m", 60],
	["s", 1],
] as const;

/** `3h25m45s`: units above the largest that is not zero are left out, those below stay. */
function humanTime(seconds: number): string {
	let rest = seconds;
	const parts = units.map(([unit, size]) => {
		const count = Math.floor(rest / size);
		rest -= count * size;
		return { count, unit };
	});
	return parts
		.slice(parts.findIndex(({ count }) => count > 0))
		.map(({ count, unit }) => `${count}${unit}`)
		.join("");
}
