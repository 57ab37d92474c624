import { isJsonObject, type JsonValue } from "../../../core/contract/index.ts";

/** From how many characters on a text is large. */
const large = 4_096;
/** Most values of a result that are looked at. */
const mostValues = 10_000;

/** Where in a result a large text stands; undefined: it is not large, or does not stand there. */
export function findCopied(text: JsonValue, result: JsonValue): readonly string[] | undefined {
	if (typeof text !== "string" || text.length < large) return undefined;
	const places: { readonly value: JsonValue; readonly path: readonly string[] }[] = [{ value: result, path: [] }];
	for (let index = 0; index < Math.min(places.length, mostValues); index++) {
		const { value, path } = places[index] as (typeof places)[number];
		if (value === text) return path;
		if (typeof value !== "object" || value === null) continue;
		for (const [key, member] of Object.entries(value)) {
			if (places.length < mostValues) places.push({ value: member as JsonValue, path: [...path, key] });
		}
	}
	return undefined;
}

/** The value at a place; null where there is none any more. */
export function takeCopied(path: readonly string[], result: JsonValue): JsonValue {
	return path.reduce<JsonValue>((value, key) => {
		if (Array.isArray(value)) return (value as readonly JsonValue[])[Number(key)] ?? null;
		return isJsonObject(value) && Object.hasOwn(value, key) ? (value[key] ?? null) : null;
	}, result);
}
