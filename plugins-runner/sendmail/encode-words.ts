/** Most bytes of UTF-8 in one encoded word: with its frame it may have 75 characters. */
const most = 45;

/** A text as encoded words of a header (RFC 2047), folded between them; no character is cut. */
export function encodeWords(text: string): string {
	const words: string[] = [];
	let word = "";
	for (const character of text) {
		if (Buffer.byteLength(word + character) > most) {
			words.push(word);
			word = "";
		}
		word += character;
	}
	return [...words, word].map((part) => `=?UTF-8?B?${Buffer.from(part).toString("base64")}?=`).join("\n ");
}
