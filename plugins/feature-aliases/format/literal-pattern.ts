/** Flags at the beginning of a format, as in `(?i)run`. */
const leadingFlags = /^\s*\(\?([ims]+)\)/;

/** Separates flags such as `(?i)` from the rest of a literal of an alias format. */
export function splitFlags(text: string): { readonly text: string; readonly flags: string } {
	const match = leadingFlags.exec(text);
	return match === null ? { text, flags: "" } : { text: text.slice(match[0].length), flags: match[1] ?? "" };
}

/**
 * Converts a literal of a format, which is a regular expression, to a JavaScript pattern. White space in it matches any amount of white
 * space. Groups may be named in Python's syntax.
 */
export function toLiteralPattern(text: string): string {
	const pattern: string[] = [];
	let isInClass = false;
	for (let index = 0; index < text.length; index += 1) {
		const character = text[index] ?? "";
		if (character === "\\") {
			pattern.push(text.slice(index, index + 2));
			index += 1;
		} else if (!isInClass && /\s/.test(character)) {
			const end = endOfBlanks(text, index);
			pattern.push(toBlankPattern(end - index, text[end]));
			index = end - 1;
		} else {
			isInClass = isInClass ? character !== "]" : character === "[";
			pattern.push(character);
		}
	}
	return toJavaScriptGroups(pattern.join(""));
}

function endOfBlanks(text: string, start: number): number {
	let end = start;
	while (/\s/.test(text[end] ?? "")) end += 1;
	return end;
}

/** Returns the pattern of a run of white space. A quantifier after it applies only to the last character. */
function toBlankPattern(count: number, next: string | undefined): string {
	if (next === undefined || !"?*+{".includes(next)) return "\\s+";
	return count === 1 ? "\\s" : "\\s+\\s";
}

function toJavaScriptGroups(pattern: string): string {
	return pattern
		.replace(/\(\?P</g, "(?<")
		.replace(/\(\?P=(\w+)\)/g, "\\k<$1>")
		.replace(/\\A/g, "^")
		.replace(/\\Z/g, "$");
}

/**
 * Returns the words with which every match of a literal begins, with one space between words. Neither the literal nor the rest of the
 * format may contain an alternative.
 */
export function toFixedPrefix(text: string): string {
	const rest = text.trimStart().replace(/^\^/, "").replace(/\s+/g, " ");
	const words = /^[A-Za-z0-9_ -]*/.exec(rest)?.[0] ?? "";
	const next = rest[words.length];
	// A quantifier applies to the last letter, which may be absent. A space at the end may be absent together with the value after it.
	return (next !== undefined && "?*{".includes(next) ? words.slice(0, -1) : words).trimEnd();
}
