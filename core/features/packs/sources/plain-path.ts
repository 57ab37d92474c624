import { escapeControlCharacters, hasControlCharacters } from "../../../contract/control-characters.ts";
import { SvcError } from "../../../contract/index.ts";

const longest = { path: 1_000, segment: 255, depth: 40, quoted: 200 };

/**
 * The parts of a path that a pack's file may have: below the pack, and what it looks like. Folders may end in a slash, and everything may
 * begin with `./`, as archives write it; the pack itself has no parts. `SVC_INVALID` names the path.
 */
export function toSegments(path: string): readonly string[] {
	const refuse = (reason: string) => refused(path, reason);
	if (path.length > longest.path) throw refuse(`is longer than ${longest.path} characters`);
	// What was no UTF-8 has become such a character.
	if (hasControlCharacters(path) || path.includes("\ufffd")) throw refuse("holds characters that do not show as what they are");
	if (path.includes("\\")) throw refuse("holds a backslash");
	if (path.startsWith("/")) throw refuse("is absolute");
	const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
	if (segments.includes("..")) throw refuse('leads out of the pack with ".."');
	if (segments.length > longest.depth) throw refuse(`is deeper than ${longest.depth} folders`);
	if (segments.some((segment) => Buffer.byteLength(segment) > longest.segment))
		throw refuse(`has a name longer than ${longest.segment} bytes`);
	return segments;
}

/** An error about a file of a pack, which is named in it as far as that is safe to show. */
export function refused(path: string, reason: string): SvcError {
	return new SvcError("SVC_INVALID", `file ${quote(path)} ${reason}`);
}

/** A path or another word from outside for a message: short, on one line, and as what it is. */
export function quote(text: string): string {
	return `"${escapeControlCharacters(text.length > longest.quoted ? `${text.slice(0, longest.quoted)}…` : text)}"`;
}

/** Paths that are the same to file systems which do not tell upper from lower case, or ways to write an accent, and to whoever reads them. */
export function toFolded(path: string): string {
	return path
		.normalize("NFKC")
		.replace(/\p{Default_Ignorable_Code_Point}/gu, "")
		.toLowerCase()
		.toUpperCase()
		.toLowerCase();
}
