import { createHash } from "node:crypto";
import { type JsonObject, type JsonValue, stringifyJson } from "../../contract/index.ts";

/** Parameters as JSON with their keys in order, so that equal ones have equal texts. */
export function toCanonicalJson(value: JsonValue): string {
	if (Array.isArray(value)) return `[${value.map((item: JsonValue) => toCanonicalJson(item)).join(",")}]`;
	if (typeof value !== "object" || value === null) return stringifyJson(value);
	const members = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${members.map(([key, member]) => `${stringifyJson(key)}:${toCanonicalJson(member)}`).join(",")}}`;
}

/** What tells the triggers of one type apart. */
export function hashParameters(parameters: JsonObject): string {
	return createHash("sha256").update(toCanonicalJson(parameters)).digest("hex");
}
