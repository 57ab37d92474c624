import type { Binding } from "./values.ts";

/** Location of a large text, which is stored outside of its row. */
export interface TextLocation {
	/** Name of the file. */
	readonly group: string;
	/** Bytes from the beginning of the file. */
	readonly offset: number;
	/** Length of the text in bytes. */
	readonly length: number;
	/** CRC-32 of the bytes. */
	readonly checksum: number;
}

/**
 * Start of a column value that refers to a large text. No other value begins with it: `values.ts` stores each U+0001 of a string followed
 * by U+0001 or U+0002.
 */
export const referenceStart = "\u0001\u0003";

export function toTextReference({ group, offset, length, checksum }: TextLocation): string {
	return `${referenceStart}${group}:${offset}:${length}:${checksum}`;
}

export function isTextReference(binding: Binding | undefined): binding is string {
	return typeof binding === "string" && binding.startsWith(referenceStart);
}

/** Parses a reference. Returns undefined if the column contains the value itself. */
export function parseTextReference(binding: Binding | undefined): TextLocation | undefined {
	if (!isTextReference(binding)) return undefined;
	const [group = "", offset, length, checksum] = binding.slice(referenceStart.length).split(":");
	return { group, offset: Number(offset), length: Number(length), checksum: Number(checksum) };
}
