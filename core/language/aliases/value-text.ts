import { parseJson } from "../../contract/index.ts";
import type { CommandText } from "./command-text.ts";

/** What a quoted value looks like in a pattern. */
export const quotedPattern = "\"(?:[^\"\\\\]|\\\\[^])*\"|'(?:[^'\\\\]|\\\\[^])*'|```[^]*?```|`[^`]*`";

/** The value that a piece of a command stands for: without quotes or back ticks around it, objects and lists with plain quotes inside. */
export function toValue({ written, plain }: CommandText): string {
	const [first = ""] = plain;
	if (first === "{" || first === "[") return isJson(plain) ? plain : written;
	if (plain.length < 2 || !plain.endsWith(first)) return written;
	if (first === "`") return toTickedValue(written);
	if (first !== '"' && first !== "'") return written;
	const inner = plain.slice(1, -1);
	// Two quoted texts with something between them are no quoted text.
	if (hasBare(inner, first)) return written;
	return written.slice(1, -1).replaceAll(`\\${first}`, first);
}

function toTickedValue(written: string): string {
	const ticks = written.length >= 6 && written.startsWith("```") && written.endsWith("```") ? 3 : 1;
	const inner = written.slice(ticks, -ticks);
	if (inner.includes("`")) return written;
	return ticks === 3 ? inner.replace(/^\r?\n/, "").replace(/\r?\n$/, "") : inner;
}

/** Whether a quote stands in a text with no backslash in front of it. */
function hasBare(text: string, quote: string): boolean {
	for (let index = text.indexOf(quote); index !== -1; index = text.indexOf(quote, index + 1)) if (text[index - 1] !== "\\") return true;
	return false;
}

function isJson(text: string): boolean {
	try {
		parseJson(text);
		return true;
	} catch {
		return false;
	}
}
