import stringWidth from "string-width";

/** Ids of records, and those of others: nobody can copy them out of two lines. */
const id = /^(?:[0-9a-f]{24}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Length of a word that is kept together as long as that is possible, and width that any column gets. */
const longestWord = 32;
const leastWidth = 8;

/** Widths of a column, from the one that shows everything in one line to the least one. */
type Steps = readonly [natural: number, content: number, words: number, parts: number, least: number];

/** Widths of as many of the columns, from the left, as there is room for; of all of them when `keepAll`, whatever they take. */
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
	// Names of columns break behind their dots and underscores.
	const header = longest(toParts(name));
	const ids = longest(cells.filter((cell) => id.test(cell)));
	const content = Math.max(header, longest(cells.flatMap((cell) => cell.split("\n"))));
	const natural = Math.max(stringWidth(name), content);
	const words = Math.min(content, Math.max(header, ids, Math.min(longestWord, longest(cells.flatMap(toWords)))));
	const parts = Math.min(words, Math.max(header, ids, longest(cells.flatMap(toWords).flatMap(toParts))));
	return [natural, content, words, parts, Math.min(parts, Math.max(leastWidth, ids))];
}

function toWords(text: string): readonly string[] {
	return text.split(/\s+/);
}

/** The parts of a name, or of another word the whole. */
export function toParts(word: string): readonly string[] {
	return /^[\w.-]+$/.test(word) ? word.split(/(?<=[._])/) : [word];
}

/** Take from the widest column until the sum fits. */
function shrink(widths: readonly number[], least: readonly number[], room: number): number[] {
	const fitted = [...widths];
	for (;;) {
		const excess = sum(fitted) - room;
		const open = fitted.flatMap((width, index) => (width > (least[index] ?? 0) ? [index] : []));
		const [first, ...others] = open.toSorted((a, b) => (fitted[b] ?? 0) - (fitted[a] ?? 0));
		if (excess <= 0 || first === undefined) return fitted;
		const [width = 0, next = 0] = [fitted[first], fitted[others[0] ?? -1]];
		// At most down to the next widest one, which is then made narrower with it.
		fitted[first] = Math.max(least[first] ?? 0, width - excess, Math.min(width - 1, next));
	}
}

function longest(texts: readonly string[]): number {
	return texts.reduce((most, text) => Math.max(most, stringWidth(text)), 0);
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, each) => total + each, 0);
}
