import { isJsonObject, type JsonObject, type JsonValue } from "../../../contract/index.ts";
import { parseJsonPath } from "../../../language/templates/json-path.ts";
import { isTemplate } from "../../../language/templates/template.ts";
import type { KeyReader } from "./key.ts";

/** Beyond that comparing could come to its bounds, of which only the criterion itself can tell. */
const most = { texts: 1_000, characters: 100_000 };

/** Tells of most events that criteria do not hold, for a hundredth of what it takes to decide them: many rules are looked at for each event. */
export interface Sieve {
	/** Sieves of the same place look at the same value. */
	readonly place: string;
	/** The value in `{ trigger: payload }`; null when it is missing. */
	readonly read: KeyReader;
	/** Where the value is a text, the criteria do not hold unless it is one of these. */
	readonly texts: ReadonlySet<string>;
}

/** Whether criteria do not hold for what their sieve has read; false where only they can tell. */
export function isLetOut({ texts }: Sieve, value: JsonValue): boolean {
	return typeof value === "string" && !texts.has(value);
}

/** From the first criterion, which is decided first. Undefined where it cannot be told so simply. */
export function toSieve(criteria: JsonObject): Sieve | undefined {
	const [[key, entry] = ["", null]] = Object.entries(criteria);
	const texts = isJsonObject(entry) ? toTexts(entry["type"], entry["pattern"]) : undefined;
	const place = key.split("#")[0]?.trim() ?? "";
	const path = texts === undefined ? undefined : toPlainPath(place);
	if (texts === undefined || path === undefined) return undefined;
	return { place, read: (values) => path.first(values) ?? null, texts: new Set(texts) };
}

function toTexts(operator: JsonValue | undefined, pattern: JsonValue | undefined): readonly string[] | undefined {
	const texts = operator === "equals" || operator === "eq" ? toLiteral(pattern) : operator === "inside" || operator === "in" ? pattern : [];
	if (!Array.isArray(texts) || texts.length === 0 || texts.length > most.texts) return undefined;
	if (!texts.every((text) => typeof text === "string")) return undefined;
	return texts.reduce((sum, { length }) => sum + length, 0) > most.characters ? undefined : texts;
}

function toLiteral(pattern: JsonValue | undefined): readonly string[] {
	return typeof pattern === "string" && !isTemplate(pattern) ? [pattern] : [];
}

function toPlainPath(text: string) {
	try {
		const path = parseJsonPath(text);
		return path.isSingleValued && path.startsWithMember("trigger") ? path : undefined;
	} catch {
		// The criterion says what is wrong with it.
		return undefined;
	}
}
