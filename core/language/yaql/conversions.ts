import type { JsonValue } from "../../contract/index.ts";
import type { Budget } from "../templates/budget.ts";
import { toText } from "../templates/python-text.ts";
import { Float, toJson, type Value } from "../templates/values.ts";
import { DateTime, TimeSpan } from "./date-time.ts";
import { YaqlError } from "./errors.ts";
import { isObject, Stream, stepping, typeName, type YaqlValue } from "./values.ts";

/** Steps that it costs to look at a value which may stay as it is. */
const glance = 1 / 8;

/** The value in the kinds of templates: lists for streams, texts for dates. What needs no change is the same as before. */
export function settle(value: YaqlValue, budget: Budget, depth = 0): Value {
	if (typeof value !== "object" || value === null || value instanceof Float) return value;
	budget.depth(depth);
	if (value instanceof Stream) return Array.from(stepping(value, budget), (element) => settle(element, budget, depth + 1));
	if (value instanceof DateTime || value instanceof TimeSpan) return value.toString();
	if (Array.isArray(value)) {
		budget.step(glance * (1 + value.length));
		const settled = value.map((element: YaqlValue) => settle(element, budget, depth + 1));
		return settled.every((element, index) => element === value[index]) ? (value as readonly Value[]) : settled;
	}
	if (!isObject(value)) throw new YaqlError("TypeError", `a ${typeName(value)} is no value that can be kept`);
	const members = Object.entries(value);
	budget.step(glance * (1 + members.length));
	const entries = members.map(([key, member]): [string, Value] => [key, settle(member, budget, depth + 1)]);
	const isSame = entries.every(([key, member]) => member === value[key]);
	return isSame ? (value as { readonly [key: string]: Value }) : Object.fromEntries(entries);
}

/** The value as JSON. */
export function toPlain(value: YaqlValue, budget: Budget): JsonValue {
	return toJson(settle(value, budget), 0, budget);
}

/** What `str` makes of a value: `null`, `true`, and else the text form of the reference. */
export function textOf(value: YaqlValue, budget: Budget): string {
	if (value === null || typeof value === "boolean") return String(value);
	if (value instanceof DateTime) return value.toString(" ");
	return toText(settle(value, budget), budget);
}
