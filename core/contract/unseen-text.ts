/**
 * Characters that show as something else than they are: they move the cursor, forge a line or a colour, ring, or turn the order of what
 * is written around. Every control character, the marks and overrides of writing direction, and the separators of lines.
 */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const unseenInLines = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Whether a text holds a character that does not show as what it is. */
export function hasUnseen(text: string): boolean {
	return text.search(unseen) !== -1;
}

/** The same for a text of several lines: line breaks and tabs are what they show as. */
export function hasUnseenInLines(text: string): boolean {
	return text.search(unseenInLines) !== -1;
}

/** A line with such characters written out, as JSON does: `\u001b`. */
export function toSeenLine(text: string): string {
	return text.replace(unseen, writtenOut);
}

/** The same for a text of several lines. */
export function toSeenLines(text: string): string {
	return text.replace(unseenInLines, writtenOut);
}

function writtenOut(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
