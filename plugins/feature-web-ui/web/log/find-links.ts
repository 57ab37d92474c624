/** Part of a string. `href` is set if the part is a URL. */
export interface LinkPiece {
	readonly text: string;
	readonly href?: string;
}

/** Pattern of an `http` or `https` URL. It ends at a backslash, because escaped control characters begin with one. */
const address = /\bhttps?:\/\/[^\s<>"'`\\{}|^]+/gi;
const maxLinks = 20;

/** Splits a string into URLs (`http` and `https`) and the text between them. Punctuation after a URL is not part of it. */
export function toLinkPieces(text: string): readonly LinkPiece[] {
	if (!hasLink(text)) return [{ text }];
	const pieces: LinkPiece[] = [];
	let end = 0;
	for (const match of text.matchAll(address)) {
		const href = withoutPunctuation(match[0]);
		if (!URL.canParse(href)) continue;
		if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
		pieces.push({ text: href, href });
		end = match.index + href.length;
		if (pieces.length >= 2 * maxLinks) break;
	}
	if (end < text.length) pieces.push({ text: text.slice(end) });
	return pieces;
}

/** Returns true if a string may contain a URL. This check is fast, and most lines contain none. */
export function hasLink(text: string): boolean {
	return text.includes("://");
}

function withoutPunctuation(href: string): string {
	// A closing bracket belongs to the URL only if the URL also contains the opening one.
	const unopened = { ")": count(href, ")") - count(href, "("), "]": count(href, "]") - count(href, "[") };
	let end = href.length;
	for (; end > 0; end -= 1) {
		const last = href[end - 1] ?? "";
		if (".,;:!?*_~".includes(last)) continue;
		if ((last !== ")" && last !== "]") || unopened[last] <= 0) break;
		unopened[last] -= 1;
	}
	return href.slice(0, end);
}

function count(text: string, character: string): number {
	return text.split(character).length - 1;
}
