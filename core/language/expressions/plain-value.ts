import type { JsonObject, JsonValue } from "../../contract/index.ts";
import type { Budget } from "../templates/budget.ts";
import { toJson, type Value } from "../templates/values.ts";

/** Steps for inspecting a value that may stay unchanged. The cost is low because large results are often passed on as they are. */
const stepsPerInspectedValue = 1 / 8;

/** Returns the value as JSON. Returns the same object if it is already plain JSON. */
export function toPlainValue(value: Value, budget: Budget, depth = 0): JsonValue {
	if (typeof value !== "object" || value === null) return value;
	budget.checkDepth(depth);
	if (Array.isArray(value)) {
		budget.spendSteps(stepsPerInspectedValue * (1 + value.length));
		const plain = value.map((element: Value) => toPlainValue(element, budget, depth + 1));
		return plain.every((element, index) => element === value[index]) ? (value as readonly JsonValue[]) : plain;
	}
	const prototype: unknown = Object.getPrototypeOf(value);
	if (prototype !== Object.prototype && prototype !== null) return toJson(value, depth, budget);
	const entries = Object.entries(value as { readonly [key: string]: Value });
	budget.spendSteps(stepsPerInspectedValue * (1 + entries.length));
	const plain = entries.map(([key, member]): [string, JsonValue] => [key, toPlainValue(member, budget, depth + 1)]);
	return plain.every(([, member], index) => member === entries[index]?.[1]) ? (value as JsonObject) : Object.fromEntries(plain);
}
