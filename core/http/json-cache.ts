import { stringifyJson } from "../contract/index.ts";

const keptTexts = new WeakMap<object, string>();
const nameTexts = new Map<string, string>();
/** Far more than there are; what foreigners name must not fill the memory. */
const mostNames = 1_000;

/** Keep the JSON of a value that many records have as a member and that nobody changes. The same value. */
export function keepJsonText<T extends object>(value: T): T {
	keptTexts.set(value, stringifyJson(value));
	return value;
}

/** JSON of an answer or event: a record or a list of records. What was kept is put in place instead of being made anew. */
export function toJsonText(value: unknown): string {
	if (Array.isArray(value)) return value.some(hasKept) ? `[${value.map(toJsonText).join(",")}]` : stringifyJson(value);
	return hasKept(value) ? toRecordText(value) : stringifyJson(value);
}

function toRecordText(record: Readonly<Record<string, unknown>>): string {
	let text = "";
	for (const name of Object.keys(record)) {
		const member = record[name];
		const memberText = findKept(member) ?? stringifyJson(member);
		// What has no JSON is left out, as `JSON.stringify` does.
		if (memberText !== undefined) text += (text === "" ? "" : ",") + toNameText(name) + memberText;
	}
	return `{${text}}`;
}

/** Records have few names for their members, again and again. */
function toNameText(name: string): string {
	const known = nameTexts.get(name);
	if (known !== undefined) return known;
	const text = `${stringifyJson(name)}:`;
	if (nameTexts.size < mostNames) nameTexts.set(name, text);
	return text;
}

function hasKept(value: unknown): value is Readonly<Record<string, unknown>> {
	if (typeof value !== "object" || value === null) return false;
	// A list of the members would be made for each record only to be thrown away.
	for (const name in value) if (findKept((value as Readonly<Record<string, unknown>>)[name]) !== undefined) return true;
	return false;
}

function findKept(value: unknown): string | undefined {
	return typeof value === "object" && value !== null ? keptTexts.get(value) : undefined;
}
