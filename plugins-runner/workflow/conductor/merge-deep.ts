import { isJsonObject, type JsonValue } from "../../../core/contract/index.ts";

/** Objects member by member, other values by the later one. */
export function mergeDeep(before: JsonValue, after: JsonValue): JsonValue {
	if (!isJsonObject(before) || !isJsonObject(after)) return after;
	const merged = new Map(Object.entries(before));
	for (const [name, value] of Object.entries(after)) {
		const earlier = merged.get(name);
		merged.set(name, earlier === undefined ? value : mergeDeep(earlier, value));
	}
	return Object.fromEntries(merged);
}
