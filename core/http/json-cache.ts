import { stringifyJson } from "../contract/index.ts";

/** JSON strings of values that many records share. */
const cachedTexts = new WeakMap<object, string>();
/** JSON strings of member names, each with its colon. */
const nameTexts = new Map<string, string>();
/** Maximum number of cached member names. Records have far fewer; the limit keeps names chosen by clients from filling the memory. */
const maxCachedNames = 1_000;

/** Caches the JSON of a value that is a member of many records. The value must not change afterwards. Returns the value. */
export function cacheJsonText<T extends object>(value: T): T {
	cachedTexts.set(value, stringifyJson(value));
	return value;
}

/** Returns the JSON of a record, or of a list of records. Cached strings of members are inserted instead of being generated again. */
export function toJsonText(value: unknown): string {
	if (Array.isArray(value)) return value.some(hasCachedMember) ? `[${value.map(toJsonText).join(",")}]` : stringifyJson(value);
	return hasCachedMember(value) ? toRecordText(value) : stringifyJson(value);
}

function toRecordText(record: Readonly<Record<string, unknown>>): string {
	let text = "";
	for (const name of Object.keys(record)) {
		const member = record[name];
		const memberText = findCachedText(member) ?? stringifyJson(member);
		// A value without JSON, such as undefined, is omitted as in `JSON.stringify`.
		if (memberText !== undefined) text += (text === "" ? "" : ",") + toNameText(name) + memberText;
	}
	return `{${text}}`;
}

/** Returns the JSON of a member name with a colon. It is cached, because all records share a few names. */
function toNameText(name: string): string {
	const cachedText = nameTexts.get(name);
	if (cachedText !== undefined) return cachedText;
	const text = `${stringifyJson(name)}:`;
	if (nameTexts.size < maxCachedNames) nameTexts.set(name, text);
	return text;
}

function hasCachedMember(value: unknown): value is Readonly<Record<string, unknown>> {
	if (typeof value !== "object" || value === null) return false;
	// `for…in` is used because `Object.keys` would allocate a list for each record.
	for (const name in value) if (findCachedText((value as Readonly<Record<string, unknown>>)[name]) !== undefined) return true;
	return false;
}

function findCachedText(value: unknown): string | undefined {
	return typeof value === "object" && value !== null ? cachedTexts.get(value) : undefined;
}
