import { isUtf8 } from "node:buffer";

/** Returns the text of a header, which Node reads as latin-1: UTF-8 if its bytes are that, else latin-1. */
export function toHeaderText(value: string): string {
	// ASCII is the same in both.
	if (/^[\0-\x7f]*$/.test(value)) return value;
	const bytes = Buffer.from(value, "latin1");
	return isUtf8(bytes) ? bytes.toString("utf8") : value;
}
