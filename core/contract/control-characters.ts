/**
 * Characters that are not displayed as themselves. They move the cursor, forge a line or a colour, ring the bell, or reorder characters.
 *
 * The pattern matches every control character, all marks and overrides of the writing direction, and the Unicode line separators.
 */
const controlCharacters = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const controlCharactersInLines = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Returns true if the string contains a control or direction character. Line breaks and tabs count. */
export function hasControlCharacters(text: string): boolean {
	return text.search(controlCharacters) !== -1;
}

/** Returns true if a string of several lines contains a control or direction character other than a line break or tab. */
export function hasControlCharactersInLines(text: string): boolean {
	return text.search(controlCharactersInLines) !== -1;
}

/** Escapes control and direction characters as in JSON, such as `\u001b`. Line breaks and tabs are escaped as well. */
export function escapeControlCharacters(text: string): string {
	return text.replace(controlCharacters, toEscape);
}

/** Escapes control and direction characters of a string of several lines. Line breaks and tabs are preserved. */
export function escapeControlCharactersInLines(text: string): string {
	return text.replace(controlCharactersInLines, toEscape);
}

function toEscape(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
