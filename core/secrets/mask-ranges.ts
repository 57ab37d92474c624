import { secretMask } from "../contract/secret-mask.ts";
import { replaceRanges, type TextRanges } from "../lib/text-search/text-ranges.ts";

/** Returns the string with each range replaced by the mask. */
export function maskRanges(text: string, ranges: TextRanges): string {
	return replaceRanges(text, ranges, () => secretMask);
}
