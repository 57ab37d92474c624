/** Ranges of a text, start and end in turn, in order, none touching another. */
export type Ranges = readonly number[];

/** The text with other characters, as many and as many bytes, in the place of each range of ASCII. */
export function blankRanges(text: string, ranges: Ranges): string {
	return replaceRanges(text, ranges, (length) => "*".repeat(length));
}

/** Ranges that hold nothing any more. */
export function findBlanks(text: string, ranges: Ranges): Ranges {
	const found: number[] = [];
	for (let index = 0; index < ranges.length; index += 2) {
		const [start, end] = [ranges[index] as number, ranges[index + 1] as number];
		if (/^\*+$/.test(text.slice(start, end))) found.push(start, end);
	}
	return found;
}

/** Returns the text with each range replaced by what `replacement` returns for its length in characters. */
export function replaceRanges(text: string, ranges: Ranges, replacement: (length: number) => string): string {
	if (ranges.length === 0) return text;
	let replaced = "";
	let done = 0;
	for (let index = 0; index < ranges.length; index += 2) {
		const [start, end] = [ranges[index] as number, ranges[index + 1] as number];
		replaced += text.slice(done, start) + replacement(end - start);
		done = end;
	}
	return replaced + text.slice(done);
}

/** What of the ranges lies between two places, counted from the first; none touching another. */
export function cutRanges(ranges: Ranges, from: number, to: number): Ranges {
	if (ranges.length === 0) return ranges;
	const cut: number[] = [];
	for (let index = 0; index < ranges.length; index += 2) {
		const start = Math.max(ranges[index] as number, from);
		const end = Math.min(ranges[index + 1] as number, to);
		if (start < end) cut.push(start - from, end - from);
	}
	return cut;
}

/** Two lists of ranges as one: `later` lies `offset` further on, and may reach back. */
export function joinRanges(earlier: Ranges, later: Ranges, offset: number): Ranges {
	if (later.length === 0) return earlier;
	const joined = [...earlier];
	for (let index = 0; index < later.length; index += 2) {
		let start = (later[index] as number) + offset;
		const end = (later[index + 1] as number) + offset;
		while (joined.length > 0 && (joined.at(-1) as number) >= start) {
			joined.pop();
			start = Math.min(start, joined.pop() as number);
		}
		joined.push(Math.max(0, start), end);
	}
	return joined;
}
