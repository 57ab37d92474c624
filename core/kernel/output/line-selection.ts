/** Which lines of a text are wanted. */
export interface LineSelection {
	/** How many there are at most. Default: all. */
	readonly lines?: number | undefined;
	/** Only lines with this text, each behind its number and a colon. Not empty. */
	readonly find?: string | undefined;
}

/** Where a text begins that is read from somewhere in the middle. */
export interface LinePlace {
	/** Number of the first wanted line, from 1. */
	readonly line: number;
	/** How many line ends come before it in the text. */
	readonly skip: number;
}

/** Characters of a found line that are shown; what is longer ends with an ellipsis. */
const longestShown = 4_096;

/** The wanted lines of a text that comes in pieces. Holds no more than a piece and the beginning of a line, however long lines are. */
export async function* selectLines(
	pieces: AsyncIterable<string>,
	{ line, skip }: LinePlace,
	{ lines = Number.POSITIVE_INFINITY, find }: LineSelection,
): AsyncGenerator<string> {
	const selection = find === undefined ? new CountedLines(lines) : new FoundLines(find, { line, most: lines });
	let left = skip;
	for await (const piece of pieces) {
		let start = 0;
		while (left > 0 && start < piece.length) {
			const end = piece.indexOf("\n", start);
			start = end < 0 ? piece.length : end + 1;
			if (end >= 0) left -= 1;
		}
		if (start === piece.length) continue;
		const selected = selection.take(start === 0 ? piece : piece.slice(start));
		if (selected !== "") yield selected;
		if (selection.isComplete) return;
	}
	const rest = selection.end();
	if (rest !== "") yield rest;
}

/** How many line ends a text has. */
export function countLineEnds(text: string): number {
	let count = 0;
	for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) count += 1;
	return count;
}

/** How many lines a text has, a last one without an end among them. */
export function countLines(text: string): number {
	return countLineEnds(text) + (text === "" || text.endsWith("\n") ? 0 : 1);
}

interface SelectedLines {
	/** Whether there are as many as are wanted. */
	readonly isComplete: boolean;
	/** What is wanted of the next piece. */
	take(piece: string): string;
	/** What is wanted of a last line without an end. */
	end(): string;
}

/** The first lines, as they are. */
class CountedLines implements SelectedLines {
	#left: number;

	constructor(most: number) {
		this.#left = most;
	}

	get isComplete(): boolean {
		return this.#left <= 0;
	}

	take(piece: string): string {
		if (this.#left === Number.POSITIVE_INFINITY) return piece;
		let length = 0;
		while (this.#left > 0 && length < piece.length) {
			const end = piece.indexOf("\n", length);
			length = end < 0 ? piece.length : end + 1;
			if (end >= 0) this.#left -= 1;
		}
		return piece.slice(0, length);
	}

	end(): string {
		return "";
	}
}

/** Lines that have a text, with their numbers. */
class FoundLines implements SelectedLines {
	readonly #find: string;
	#left: number;
	#line: number;
	/** The beginning of the line that goes on, as much as is shown of it. */
	#shown = "";
	#length = 0;
	/** Its end, as much as may be the beginning of what is looked for. */
	#open = "";
	#isFound = false;

	constructor(find: string, { line, most }: { readonly line: number; readonly most: number }) {
		this.#find = find;
		this.#line = line;
		this.#left = most;
	}

	get isComplete(): boolean {
		return this.#left <= 0;
	}

	take(piece: string): string {
		let found = "";
		let start = this.#passOver(piece);
		while (start < piece.length && this.#left > 0) {
			const end = piece.indexOf("\n", start);
			this.#add(piece.slice(start, end < 0 ? piece.length : end));
			if (end < 0) break;
			found += this.#finish();
			start = end + 1;
		}
		return found;
	}

	end(): string {
		return this.#length === 0 ? "" : this.#finish();
	}

	/** Most pieces have nothing of what is looked for: their whole lines are only counted. Where the rest begins. */
	#passOver(piece: string): number {
		if (this.#length > 0 || piece.includes(this.#find)) return 0;
		const end = piece.lastIndexOf("\n") + 1;
		this.#line += countLineEnds(piece);
		return end;
	}

	#add(part: string): void {
		this.#isFound ||= (this.#open + part).includes(this.#find);
		const most = this.#find.length - 1;
		this.#open = most === 0 ? "" : (this.#open + part.slice(-most)).slice(-most);
		if (this.#shown.length < longestShown) this.#shown += part.slice(0, longestShown - this.#shown.length);
		this.#length += part.length;
	}

	/** The line, where it is wanted; the next one begins. */
	#finish(): string {
		const text = this.#isFound ? `${this.#line}:${this.#shown}${this.#length > this.#shown.length ? " …" : ""}\n` : "";
		if (this.#isFound) this.#left -= 1;
		this.#line += 1;
		this.#shown = "";
		this.#open = "";
		this.#length = 0;
		this.#isFound = false;
		return text;
	}
}
