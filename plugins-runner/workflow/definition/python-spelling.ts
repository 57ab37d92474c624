import type { JsonValue } from "../../../core/contract/index.ts";
import type { Spot } from "./source.ts";

/** Characters after which a value is long enough for a message. */
const enough = 600;

/** A value as Python spells it: `None`, `True`, `'text'`, `[1, 'x']`, `{'k': 'v'}`. Of a long one the beginning. */
export function spellInPython(spot: Spot): string {
	const { value } = spot;
	if (Array.isArray(value)) return `[${spellAll(value, (index) => spellInPython(spot.at(index)))}]`;
	if (typeof value === "object" && value !== null)
		return `{${spellAll(Object.keys(value), (_, name) => `${spellText(name)}: ${spellInPython(spot.at(name))}`)}}`;
	return spellScalar(value ?? null, spot.isFloat);
}

/** A text as Python quotes it. */
export function spellText(text: string): string {
	const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is spelled out here
	const escaped = text.slice(0, enough).replaceAll(/[\\\u0000-\u001f\u007f]/g, escapeCharacter);
	return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`;
}

function spellAll<T extends JsonValue>(parts: readonly T[], spell: (index: number, part: T) => string): string {
	const spelled: string[] = [];
	let length = 0;
	for (const [index, part] of parts.entries()) {
		if (length > enough) break;
		const text = spell(index, part);
		length += text.length;
		spelled.push(text);
	}
	return spelled.join(", ");
}

function spellScalar(value: JsonValue, isFloat: boolean): string {
	if (value === null) return "None";
	if (typeof value === "boolean") return value ? "True" : "False";
	if (typeof value === "number") return isFloat && Number.isInteger(value) ? value.toFixed(1) : String(value);
	return typeof value === "bigint" ? String(value) : spellText(String(value));
}

function escapeCharacter(character: string): string {
	const known: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
	return known[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
