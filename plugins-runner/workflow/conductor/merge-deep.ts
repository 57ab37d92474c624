import { isJsonObject, type JsonValue } from "../../../core/contract/index.ts";

/** Merges two values: objects member by member; for other values, the later one wins. */
export function mergeDeep(before: JsonValue, after: JsonValue): JsonValue {
	if (!isJsonObject(before) || !isJsonObject(after)) return after;
	const merged = new Map(Object.entries(before));
	for (const [name, value] of Object.entries(after)) {
		const earlier = merged.get(name);
		merged.set(name, earlier === undefined ? value : mergeDeep(earlier, value));
	}
	return Object.fromEntries(merged);
}
