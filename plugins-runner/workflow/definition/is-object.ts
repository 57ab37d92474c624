import type { JsonObject, JsonValue } from "../../../core/contract/index.ts";

/** Returns true if a value is an object, and neither a list nor null. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
