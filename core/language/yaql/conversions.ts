import type { Budget } from "../templates/budget.ts";
import { toPythonText } from "../templates/python-text.ts";
import { Float, type Value } from "../templates/values.ts";
import { DateTime, TimeSpan } from "./date-time.ts";
import { YaqlError } from "./errors.ts";
import { isObject, Stream, typeName, withStepCost, type YaqlValue } from "./values.ts";

/** Steps for inspecting a value that may stay unchanged. */
const stepsPerInspectedValue = 1 / 8;

/**
 * Converts a value to the types of templates: a stream becomes a list, and a date or timespan becomes a string. Returns the same object if
 * nothing changes.
 */
export function toTemplateValue(value: YaqlValue, budget: Budget, depth = 0): Value {
	if (typeof value !== "object" || value === null || value instanceof Float) return value;
	budget.checkDepth(depth);
	if (value instanceof Stream) return Array.from(withStepCost(value, budget), (element) => toTemplateValue(element, budget, depth + 1));
	if (value instanceof DateTime || value instanceof TimeSpan) return value.toString();
	if (Array.isArray(value)) {
		budget.spendSteps(stepsPerInspectedValue * (1 + value.length));
		const elements = value.map((element: YaqlValue) => toTemplateValue(element, budget, depth + 1));
		return elements.every((element, index) => element === value[index]) ? (value as readonly Value[]) : elements;
	}
	if (!isObject(value)) throw new YaqlError("TypeError", `a ${typeName(value)} is no value that can be kept`);
	const members = Object.entries(value);
	budget.spendSteps(stepsPerInspectedValue * (1 + members.length));
	const entries = members.map(([key, member]): [string, Value] => [key, toTemplateValue(member, budget, depth + 1)]);
	const isUnchanged = entries.every(([key, member]) => member === value[key]);
	return isUnchanged ? (value as { readonly [key: string]: Value }) : Object.fromEntries(entries);
}

/** Returns a value as `str` does: `null`, `true` or `false`, otherwise as Python prints it. */
export function toYaqlText(value: YaqlValue, budget: Budget): string {
	if (value === null || typeof value === "boolean") return String(value);
	if (value instanceof DateTime) return value.toString(" ");
	return toPythonText(toTemplateValue(value, budget), budget);
}
