const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;" };

/** Escapes a string for HTML or XML. */
export function escapeMarkup(text: string): string {
	return text.replace(/[&<>'"]/g, (character) => entities[character] ?? character);
}
