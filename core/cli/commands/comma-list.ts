/** Splits the value of an option at its commas. */
export function parseCommaList(text: string): string[] {
	return text.split(",").map((word) => word.trim());
}
