/** Ranges of a string: alternating start and end indices in ascending order. Ranges neither overlap nor touch. */
export type TextRanges = readonly number[];

/** Replaces each character in ASCII ranges by an asterisk, so that lengths in characters and bytes stay unchanged. */
export function blankRanges(text: string, ranges: TextRanges): string {
	return replaceRanges(text, ranges, (part) => "*".repeat(part.length));
}

/** Returns the ranges that contain only asterisks. */
export function findBlankRanges(text: string, ranges: TextRanges): TextRanges {
	const blanks: number[] = [];
	for (let index = 0; index < ranges.length; index += 2) {
		const [start, end] = [ranges[index] as number, ranges[index + 1] as number];
		if (/^\*+$/.test(text.slice(start, end))) blanks.push(start, end);
	}
	return blanks;
}

/** Returns the string with each range replaced by the result of `replacement`, which receives the text of the range. */
export function replaceRanges(text: string, ranges: TextRanges, replacement: (part: string) => string): string {
	if (ranges.length === 0) return text;
	let replaced = "";
	let copiedLength = 0;
	for (let index = 0; index < ranges.length; index += 2) {
		const [start, end] = [ranges[index] as number, ranges[index + 1] as number];
		replaced += text.slice(copiedLength, start) + replacement(text.slice(start, end));
		copiedLength = end;
	}
	return replaced + text.slice(copiedLength);
}

/** Returns the parts of the ranges between two positions, relative to the first position. */
export function sliceRanges(ranges: TextRanges, from: number, to: number): TextRanges {
	if (ranges.length === 0) return ranges;
	const cut: number[] = [];
	for (let index = 0; index < ranges.length; index += 2) {
		const start = Math.max(ranges[index] as number, from);
		const end = Math.min(ranges[index + 1] as number, to);
		if (start < end) cut.push(start - from, end - from);
	}
	return cut;
}

/** Merges two lists of ranges. `later` is relative to `offset` and may overlap `earlier`. */
export function joinRanges(earlier: TextRanges, later: TextRanges, offset: number): TextRanges {
	if (later.length === 0) return earlier;
	const joined = [...earlier];
	for (let index = 0; index < later.length; index += 2) {
		addRange(joined, Math.max(0, (later[index] as number) + offset), (later[index + 1] as number) + offset);
	}
	return joined;
}

/** Adds a range. Ranges are added in order of their ends, so a new one may absorb previous ones. */
export function addRange(ranges: number[], start: number, end: number): void {
	let from = start;
	while (ranges.length > 0 && (ranges.at(-1) as number) >= from) {
		ranges.pop();
		from = Math.min(from, ranges.pop() as number);
	}
	ranges.push(from, end);
}
