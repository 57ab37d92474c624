import type { Binding } from "./values.ts";

/** Where a text lies outside of its row. */
export interface TextPlace {
	/** Name of the file. */
	readonly group: string;
	/** Bytes. */
	readonly offset: number;
	readonly length: number;
	/** CRC-32 of the bytes. */
	readonly checksum: number;
}

/** What a column that refers to a text begins with: no text does, as each U+0001 of one is followed by U+0001 or U+0002 (`values.ts`). */
export const referenceStart = "\u0001\u0003";

export function toTextReference({ group, offset, length, checksum }: TextPlace): string {
	return `${referenceStart}${group}:${offset}:${length}:${checksum}`;
}

export function isTextPlace(binding: Binding | undefined): binding is string {
	return typeof binding === "string" && binding.startsWith(referenceStart);
}

/** Undefined for a text that stands in its row. */
export function toTextPlace(binding: Binding | undefined): TextPlace | undefined {
	if (!isTextPlace(binding)) return undefined;
	const [group = "", offset, length, checksum] = binding.slice(referenceStart.length).split(":");
	return { group, offset: Number(offset), length: Number(length), checksum: Number(checksum) };
}
