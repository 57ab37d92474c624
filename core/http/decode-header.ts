import { isUtf8 } from "node:buffer";

/** Returns the text of a header, which Node decodes as latin-1. The text is UTF-8 if its bytes are valid UTF-8, otherwise latin-1. */
export function decodeHeader(value: string): string {
	// ASCII is the same in both encodings.
	if (/^[\0-\x7f]*$/.test(value)) return value;
	const bytes = Buffer.from(value, "latin1");
	return isUtf8(bytes) ? bytes.toString("utf8") : value;
}
