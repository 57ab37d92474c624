import { isJsonObject, type JsonValue } from "../../../core/contract/index.ts";

/** Minimum characters of a large string. */
const large = 4_096;
/** Maximum number of values of a result that are compared. */
const maxValues = 10_000;

/** Returns the path of a large string in a result. Returns undefined if the string is not large, or does not occur in the result. */
export function findInResult(text: JsonValue, result: JsonValue): readonly string[] | undefined {
	if (typeof text !== "string" || text.length < large) return undefined;
	const places: { readonly value: JsonValue; readonly path: readonly string[] }[] = [{ value: result, path: [] }];
	for (let index = 0; index < Math.min(places.length, maxValues); index++) {
		const { value, path } = places[index] as (typeof places)[number];
		if (value === text) return path;
		if (typeof value !== "object" || value === null) continue;
		for (const [key, member] of Object.entries(value)) {
			if (places.length < maxValues) places.push({ value: member as JsonValue, path: [...path, key] });
		}
	}
	return undefined;
}

/** Returns the value at a path; null if the path no longer exists. */
export function readFromResult(path: readonly string[], result: JsonValue): JsonValue {
	return path.reduce<JsonValue>((value, key) => {
		if (Array.isArray(value)) return (value as readonly JsonValue[])[Number(key)] ?? null;
		return isJsonObject(value) && Object.hasOwn(value, key) ? (value[key] ?? null) : null;
	}, result);
}
