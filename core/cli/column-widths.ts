import stringWidth from "string-width";

/**
 * Ids of records, and similar ids of other programs. They are kept on one line, because an id that is split over two lines cannot be
 * copied.
 */
const id = /^(?:[0-9a-f]{24}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Maximum length of a word that is kept on one line if possible, and minimum width of every column. */
const maxWordLength = 32;
const minWidth = 8;

/** Possible widths of a column, from one that shows every cell on one line to the minimum. */
type Steps = readonly [natural: number, content: number, words: number, parts: number, least: number];

/**
 * Returns the widths of as many columns, from the left, as fit. With `keepAll`, returns the widths of all columns even if they do not fit.
 */
export function toColumnWidths(
	columns: readonly (readonly string[])[],
	{ available, gap, keepAll }: { readonly available: number; readonly gap: number; readonly keepAll: boolean },
): readonly number[] {
	const steps = columns.map(toSteps);
	for (let count = steps.length; ; count -= 1) {
		const shown = steps.slice(0, count);
		const room = available - gap * count;
		const at = (step: number) => shown.map((widths) => widths[step] ?? 0);
		const fitting = [0, 1, 2, 3, 4].find((step) => sum(at(step)) <= room);
		if (fitting !== undefined) return shrink(at(Math.max(0, fitting - 1)), at(fitting), room);
		if (count <= 1 || keepAll) return at(4);
	}
}

function toSteps([name = "", ...cells]: readonly string[]): Steps {
	// Column names may be wrapped after dots and underscores.
	const header = longest(toParts(name));
	const ids = longest(cells.filter((cell) => id.test(cell)));
	const content = Math.max(header, longest(cells.flatMap((cell) => cell.split("\n"))));
	const natural = Math.max(stringWidth(name), content);
	const words = Math.min(content, Math.max(header, ids, Math.min(maxWordLength, longest(cells.flatMap(toWords)))));
	const parts = Math.min(words, Math.max(header, ids, longest(cells.flatMap(toWords).flatMap(toParts))));
	return [natural, content, words, parts, Math.min(parts, Math.max(minWidth, ids))];
}

function toWords(text: string): readonly string[] {
	return text.split(/\s+/);
}

/** Splits a name after dots and underscores. Returns any other word as a single part. */
export function toParts(word: string): readonly string[] {
	return /^[\w.-]+$/.test(word) ? word.split(/(?<=[._])/) : [word];
}

/** Narrows the widest column repeatedly until the sum fits. */
function shrink(widths: readonly number[], least: readonly number[], room: number): number[] {
	const fitted = [...widths];
	for (;;) {
		const excess = sum(fitted) - room;
		const open = fitted.flatMap((width, index) => (width > (least[index] ?? 0) ? [index] : []));
		const [first, ...others] = open.toSorted((a, b) => (fitted[b] ?? 0) - (fitted[a] ?? 0));
		if (excess <= 0 || first === undefined) return fitted;
		const [width = 0, next = 0] = [fitted[first], fitted[others[0] ?? -1]];
		// Narrow it at most to the next widest column; from there on both become narrower together.
		fitted[first] = Math.max(least[first] ?? 0, width - excess, Math.min(width - 1, next));
	}
}

function longest(texts: readonly string[]): number {
	return texts.reduce((most, text) => Math.max(most, stringWidth(text)), 0);
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, each) => total + each, 0);
}
