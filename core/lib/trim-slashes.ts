/**
 * Returns a text without slashes at its begin and its end. Uses no regular expression: one would take quadratic time for a text with many
 * slashes, which any caller may send.
 */
export function trimSlashes(text: string): string {
	let [start, end] = [0, text.length];
	while (text[start] === "/") start += 1;
	while (end > start && text[end - 1] === "/") end -= 1;
	return text.slice(start, end);
}
