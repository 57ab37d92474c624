import { secretMask } from "../contract/secret-mask.ts";
import { replaceRanges, type TextRanges } from "../lib/text-search/text-ranges.ts";

/**
 * Returns the string with each range replaced by the mask. A range of several lines is replaced line by line, so that masked and unmasked
 * text have the same line numbers.
 */
export function maskRanges(text: string, ranges: TextRanges): string {
	return replaceRanges(text, ranges, (secret) => (secret.includes("\n") ? secret.replace(/[^\n]+/g, secretMask) : secretMask));
}
