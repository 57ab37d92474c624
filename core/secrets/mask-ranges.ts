import { secretMask } from "../contract/secret-mask.ts";
import { type Ranges, replaceRanges } from "../lib/text-search/text-ranges.ts";

/** Returns the text with the mask in place of each range. */
export function maskRanges(text: string, ranges: Ranges): string {
	return replaceRanges(text, ranges, () => secretMask);
}
