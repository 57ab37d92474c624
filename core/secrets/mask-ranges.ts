import { secretMask } from "../contract/secret-mask.ts";
import { replaceRanges, type TextRanges } from "../lib/text-search/text-ranges.ts";

/** Returns the text with the mask in place of each range. */
export function maskRanges(text: string, ranges: TextRanges): string {
	return replaceRanges(text, ranges, () => secretMask);
}
