/** Flags at the beginning of a format, as in `(?i)run`. */
const leadingFlags = /^\s*\(\?([ims]+)\)/;

/** A text of a format without the flags at its beginning, and those flags. */
export function splitFlags(text: string): { readonly text: string; readonly flags: string } {
	const found = leadingFlags.exec(text);
	return found === null ? { text, flags: "" } : { text: text.slice(found[0].length), flags: found[1] ?? "" };
}

/**
 * The pattern of a text of a format: it is a regular expression, in which some blanks stand for any blanks. Groups may be named as
 * other languages write it.
 */
export function toTextPattern(text: string): string {
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
	return toOwnGroups(pattern.join(""));
}

function endOfBlanks(text: string, start: number): number {
	let end = start;
	while (/\s/.test(text[end] ?? "")) end += 1;
	return end;
}

/** What says how often counts for the last blank only. */
function toBlankPattern(count: number, next: string | undefined): string {
	if (next === undefined || !"?*+{".includes(next)) return "\\s+";
	return count === 1 ? "\\s" : "\\s+\\s";
}

function toOwnGroups(pattern: string): string {
	return pattern
		.replace(/\(\?P</g, "(?<")
		.replace(/\(\?P=(\w+)\)/g, "\\k<$1>")
		.replace(/\\A/g, "^")
		.replace(/\\Z/g, "$");
}

/** Words that whatever fits the text must begin with, with one blank between them. There must be no choice in it, nor behind it. */
export function toFixedBeginning(text: string): string {
	const rest = text.trimStart().replace(/^\^/, "").replace(/\s+/g, " ");
	const words = /^[A-Za-z0-9_ -]*/.exec(rest)?.[0] ?? "";
	const next = rest[words.length];
	// The last letter may be missing then, and a blank goes with a value that may be missing.
	return (next !== undefined && "?*{".includes(next) ? words.slice(0, -1) : words).trimEnd();
}
