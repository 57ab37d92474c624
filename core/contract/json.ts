/** A value that survives JSON: what parameters, results and event data are made of. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Never merge one that came from outside into another object: `__proto__` is an ordinary key here. */
export interface JsonObject {
	readonly [key: string]: JsonValue;
}

/** Whether a value is an object with members, rather than null or an array. */
export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
