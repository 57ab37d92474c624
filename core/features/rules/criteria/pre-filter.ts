import { isJsonObject, type JsonObject, type JsonValue } from "../../../contract/index.ts";
import { parseJsonPath } from "../../../language/templates/json-path.ts";
import { isTemplate } from "../../../language/templates/template.ts";
import type { KeyReader } from "./key.ts";

/** Maximum strings of a pre-filter. Comparing more could exceed the work limits, which only the evaluation of the criteria reports. */
const maxima = { texts: 1_000, characters: 100_000 };

/**
 * Pre-filter that rejects most events that do not match, at about a hundredth of the cost of the criteria. This matters because many rules
 * may have to be checked for one event.
 */
export interface PreFilter {
	/** JSON path of the compared value, which is read once for all pre-filters with the same path. */
	readonly place: string;
	/** Returns the value in `{ trigger: payload }`; null if it is missing. */
	readonly read: KeyReader;
	/** Strings that can match. If the value is another string, the criteria do not match. */
	readonly texts: ReadonlySet<string>;
}

/** Returns true if the criteria cannot match the value that the pre-filter has read; false if the criteria must be evaluated. */
export function isRejected({ texts }: PreFilter, value: JsonValue): boolean {
	return typeof value === "string" && !texts.has(value);
}

/** Derives the pre-filter from the first criterion, which is evaluated first. Returns undefined if that criterion is not simple enough. */
export function toPreFilter(criteria: JsonObject): PreFilter | undefined {
	const [[key, entry] = ["", null]] = Object.entries(criteria);
	const texts = isJsonObject(entry) ? toTexts(entry["type"], entry["pattern"]) : undefined;
	const place = key.split("#")[0]?.trim() ?? "";
	const path = texts === undefined ? undefined : toPlainPath(place);
	if (texts === undefined || path === undefined) return undefined;
	return { place, read: (values) => path.first(values) ?? null, texts: new Set(texts) };
}

function toTexts(operator: JsonValue | undefined, pattern: JsonValue | undefined): readonly string[] | undefined {
	const texts = operator === "equals" || operator === "eq" ? toLiteral(pattern) : operator === "inside" || operator === "in" ? pattern : [];
	if (!Array.isArray(texts) || texts.length === 0 || texts.length > maxima.texts) return undefined;
	if (!texts.every((text) => typeof text === "string")) return undefined;
	return texts.reduce((sum, { length }) => sum + length, 0) > maxima.characters ? undefined : texts;
}

function toLiteral(pattern: JsonValue | undefined): readonly string[] {
	return typeof pattern === "string" && !isTemplate(pattern) ? [pattern] : [];
}

function toPlainPath(text: string) {
	try {
		const path = parseJsonPath(text);
		return path.isSingleValued && path.startsWithMember("trigger") ? path : undefined;
	} catch {
		// The evaluation of the criterion reports the error.
		return undefined;
	}
}
