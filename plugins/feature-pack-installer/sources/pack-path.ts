import { SvcError } from "../../../core/contract/index.ts";
import { escapeControlCharacters, hasControlCharacters } from "../../../core/feature.ts";

const maxLengths = { path: 1_000, segment: 255, depth: 40, quoted: 200 };

/**
 * Splits the path of a file in a pack into its segments. Throws `SVC_INVALID`, which names the path, if it leads out of the pack or
 * contains misleading characters. Folders may end with a slash, and paths may begin with `./`, as in archives; the root has no segments.
 */
export function toSegments(path: string): readonly string[] {
	const refuse = (reason: string) => refused(path, reason);
	if (path.length > maxLengths.path) throw refuse(`is longer than ${maxLengths.path} characters`);
	// Decoding replaces bytes that are not valid UTF-8 with this character.
	if (hasControlCharacters(path) || path.includes("\ufffd")) throw refuse("contains invisible or misleading characters");
	if (path.includes("\\")) throw refuse("contains a backslash");
	if (path.startsWith("/")) throw refuse("is absolute");
	const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
	if (segments.includes("..")) throw refuse('is outside the pack ("..")');
	if (segments.length > maxLengths.depth) throw refuse(`is deeper than ${maxLengths.depth} directories`);
	if (segments.some((segment) => Buffer.byteLength(segment) > maxLengths.segment))
		throw refuse(`has a name longer than ${maxLengths.segment} bytes`);
	return segments;
}

/** Returns an `SVC_INVALID` error about a file of a pack. Its message contains the path, shortened and with control characters escaped. */
export function refused(path: string, reason: string): SvcError {
	return new SvcError("SVC_INVALID", `file ${quote(path)} ${reason}`);
}

/**
 * Returns a path or other untrusted string for a message: at most 200 characters, on one line, with control characters escaped, in quotes.
 */
export function quote(text: string): string {
	return `"${escapeControlCharacters(text.length > maxLengths.quoted ? `${text.slice(0, maxLengths.quoted)}…` : text)}"`;
}

/**
 * Returns a key that is equal for paths that some file systems or readers cannot distinguish. Case, Unicode normalization forms and
 * invisible characters are ignored.
 */
export function toFolded(path: string): string {
	return path
		.normalize("NFKC")
		.replace(/\p{Default_Ignorable_Code_Point}/gu, "")
		.toLowerCase()
		.toUpperCase()
		.toLowerCase();
}
