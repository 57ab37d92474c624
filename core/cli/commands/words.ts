/** Words with commas between them, as the value of one option. */
export function toWords(text: string): string[] {
	return text.split(",").map((word) => word.trim());
}
