import type { OutputChunkEntity, OutputType } from "../../contract/index.ts";
import type { OutputLine } from "../executions/executions-api.ts";

/** Characters of a line that are shown. */
const longestShown = 4_096;

/** What programs write before they give up, in most languages. */
const troubleWords = /\b(?:error|fail|fatal|exception|traceback|panic|critical)/i;
/** Longer than each of these words: one that two chunks share is found in the end of the first with the second. */
const longestTroubleWord = 16;

/** Which lines of an output are looked for. */
export interface LineSearch {
	/** Lines that show this text. Not empty. */
	readonly find?: string | undefined;
	/** Lines that tell of trouble: those of stderr, and those with a word such as `error`. */
	readonly isTrouble?: boolean | undefined;
}

type Chunk = Pick<OutputChunkEntity, "output_type" | "timestamp">;

/** Whether a part of a line makes the line one that is looked for, and how much of what is before the part counts. */
interface Matcher {
	readonly overlap: number;
	matches(text: string): boolean;
	/** Of a line as a whole, whatever it says. */
	matchesType(type: OutputType): boolean;
}

/**
 * Lines of an output with what is known of each, out of chunks that come one after another. A line may begin in one and end in another, of
 * another type even: it is told as of the one that it began in. Holds the beginning of a line, however long lines are.
 */
export class NumberedLines {
	readonly lines: OutputLine[] = [];
	readonly #most: number;
	readonly #matcher: Matcher | undefined;
	#line: number;
	#skip: number;
	#current:
		| { text: string; length: number; open: string; isFound: boolean; readonly type: OutputType; readonly timestamp: string }
		| undefined;

	constructor({ line, skip }: LinePlace, { most, search }: { readonly most: number; readonly search: LineSearch }) {
		this.#line = line;
		this.#skip = skip;
		this.#most = most;
		this.#matcher = toMatcher(search);
	}

	/** Whether there are as many as are wanted. */
	get isComplete(): boolean {
		return this.lines.length >= this.#most;
	}

	/** Number of the line that has not been looked at yet. */
	get nextLine(): number {
		return this.#line;
	}

	/** Whether a line has begun that has not ended. */
	get isLineOpen(): boolean {
		return this.#current !== undefined;
	}

	/** The next chunk, with its text as it is shown. */
	take(text: string, chunk: Chunk): void {
		let start = this.#pass(text);
		start = this.#passOver(text, start, chunk);
		while (start < text.length && !this.isComplete) {
			const end = text.indexOf("\n", start);
			this.#add(text.slice(start, end < 0 ? text.length : end), chunk);
			if (end < 0) return;
			this.#finish();
			start = end + 1;
		}
	}

	/** There is nothing more: a last line without an end is one, too. */
	end(): void {
		if (this.#current !== undefined && !this.isComplete) this.#finish();
	}

	/** What is before the first wanted line. */
	#pass(text: string): number {
		let start = 0;
		while (this.#skip > 0 && start < text.length) {
			const end = text.indexOf("\n", start);
			start = end < 0 ? text.length : end + 1;
			if (end >= 0) this.#skip -= 1;
		}
		return start;
	}

	/** Most chunks have nothing of what is looked for: their whole lines are only counted. Where the rest begins. */
	#passOver(text: string, start: number, { output_type }: Chunk): number {
		const matcher = this.#matcher;
		if (matcher === undefined || this.#current !== undefined || matcher.matchesType(output_type)) return start;
		const rest = start === 0 ? text : text.slice(start);
		if (matcher.matches(rest)) return start;
		this.#line += countLineEnds(rest);
		return start + rest.lastIndexOf("\n") + 1;
	}

	#add(part: string, { output_type: type, timestamp }: Chunk): void {
		this.#current ??= { text: "", length: 0, open: "", isFound: this.#matcher?.matchesType(type) ?? true, type, timestamp };
		const current = this.#current;
		if (this.#matcher !== undefined && !current.isFound) {
			const seen = current.open + part;
			current.isFound = this.#matcher.matches(seen);
			current.open = this.#matcher.overlap === 0 ? "" : seen.slice(-this.#matcher.overlap);
		}
		if (current.text.length < longestShown) current.text += part.slice(0, longestShown - current.text.length);
		current.length += part.length;
	}

	#finish(): void {
		const { text = "", length = 0, isFound = false, type = "stdout", timestamp = "" } = this.#current ?? {};
		if (isFound) this.lines.push({ line: this.#line, output_type: type, timestamp, text, length });
		this.#line += 1;
		this.#current = undefined;
	}
}

function toMatcher({ find, isTrouble }: LineSearch): Matcher | undefined {
	if (find === undefined && isTrouble !== true) return undefined;
	const says = (text: string) => (find === undefined || text.includes(find)) && (isTrouble !== true || troubleWords.test(text));
	return {
		overlap: Math.max((find?.length ?? 1) - 1, isTrouble === true ? longestTroubleWord : 0),
		matches: says,
		matchesType: (type) => isTrouble === true && find === undefined && type === "stderr",
	};
}

/** Which lines of a text are wanted. */
export interface LineSelection {
	/** How many there are at most. Default: all. */
	readonly lines?: number | undefined;
	/** Only lines with this text, each behind its number and a colon. Not empty. */
	readonly find?: string | undefined;
}

/** Where a text begins that is read from somewhere in the middle. */
interface LinePlace {
	/** Number of the first wanted line, from 1. */
	readonly line: number;
	/** How many line ends come before it in the text. */
	readonly skip: number;
}

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
