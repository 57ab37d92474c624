import { parseJson } from "../../../core/contract/index.ts";
import type { CommandText } from "./command-text.ts";

/** Pattern of a quoted value. */
export const quotedPattern = "\"(?:[^\"\\\\]|\\\\[^])*\"|'(?:[^'\\\\]|\\\\[^])*'|```[^]*?```|`[^`]*`";

/**
 * Returns the value that a part of a command denotes: without surrounding quotes or backticks. Objects and lists get ASCII quotes if that
 * makes them valid JSON.
 */
export function toValue({ written, plain }: CommandText): string {
	const [first = ""] = plain;
	if (first === "{" || first === "[") return isJson(plain) ? plain : written;
	if (plain.length < 2 || !plain.endsWith(first)) return written;
	if (first === "`") return withoutBackticks(written);
	if (first !== '"' && first !== "'") return written;
	const innerText = plain.slice(1, -1);
	// Two quoted strings with other characters between them are not one quoted string.
	if (hasUnescapedQuote(innerText, first)) return written;
	return written.slice(1, -1).replaceAll(`\\${first}`, first);
}

function withoutBackticks(written: string): string {
	const backtickCount = written.length >= 6 && written.startsWith("```") && written.endsWith("```") ? 3 : 1;
	const innerText = written.slice(backtickCount, -backtickCount);
	if (innerText.includes("`")) return written;
	return backtickCount === 3 ? innerText.replace(/^\r?\n/, "").replace(/\r?\n$/, "") : innerText;
}

/** Returns true if a string contains a quote without a backslash in front of it. */
function hasUnescapedQuote(text: string, quote: string): boolean {
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
