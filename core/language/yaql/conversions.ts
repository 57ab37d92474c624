import type { Budget } from "../templates/budget.ts";
import { toPythonText } from "../templates/python-text.ts";
import { convertElements, convertMembers, Float, type Value } from "../templates/values.ts";
import { DateTime, TimeSpan } from "./date-time.ts";
import { YaqlError } from "./errors.ts";
import { isObject, Stream, typeName, withStepCost, type YaqlValue } from "./values.ts";

/**
 * Converts a value to the types of templates: a stream becomes a list, and a date or timespan becomes a string. Returns the same object if
 * nothing changes.
 */
export function toTemplateValue(value: YaqlValue, budget: Budget, depth = 0): Value {
	if (typeof value !== "object" || value === null || value instanceof Float) return value;
	budget.checkDepth(depth);
	if (value instanceof Stream) return Array.from(withStepCost(value, budget), (element) => toTemplateValue(element, budget, depth + 1));
	if (value instanceof DateTime || value instanceof TimeSpan) return value.toString();
	const toInner = (member: YaqlValue) => toTemplateValue(member, budget, depth + 1);
	if (Array.isArray(value)) return convertElements(value, toInner, budget);
	if (!isObject(value)) throw new YaqlError("TypeError", `a ${typeName(value)} cannot be stored as a value`);
	return convertMembers(value, toInner, budget);
}

/** Returns a value as `str` does: `null`, `true` or `false`, otherwise as Python prints it. */
export function toYaqlText(value: YaqlValue, budget: Budget): string {
	if (value === null || typeof value === "boolean") return String(value);
	if (value instanceof DateTime) return value.toString(" ");
	return toPythonText(toTemplateValue(value, budget), budget);
}
