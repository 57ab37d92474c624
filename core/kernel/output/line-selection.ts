import type { OutputChunkEntity, OutputType } from "../../contract/index.ts";
import type { OutputLine } from "../executions/executions-api.ts";

/** Maximum number of characters of a line in results. */
const maxShownLength = 4_096;

/** Words in the error messages of most programming languages and their runtimes. */
const troubleWords = /\b(?:error|fail|fatal|exception|traceback|panic|critical)/i;
/**
 * Characters at the end of a line part that are searched again with the next part. Exceeds the length of each word, so that no split word
 * is missed.
 */
const troubleWordOverlap = 16;

/** Conditions on the lines of an output. */
export interface LineFilter {
	/** Only lines that contain this string are selected. Must not be empty. */
	readonly find?: string | undefined;
	/** True if only lines of stderr, and lines with a word such as `error`, are selected. */
	readonly isErrorsOnly?: boolean | undefined;
}

type Chunk = Pick<OutputChunkEntity, "output_type" | "timestamp">;

/** Decides from the parts of a line whether the line is selected. */
interface LineMatcher {
	/** Number of characters at the end of a part that must be searched again with the next part. */
	readonly overlap: number;
	/** Returns true if a line that contains this text is selected. */
	matches(text: string): boolean;
	/** Returns true if every line of this type is selected. */
	matchesType(type: OutputType): boolean;
}

/**
 * Collects selected lines of an output from consecutive chunks. A line may begin in one chunk and end in another, even one of another type.
 * Its type and time are those of the chunk in which it begins. Keeps at most the first 4,096 characters of a line.
 */
export class LineCollector {
	readonly lines: OutputLine[] = [];
	readonly #maxLines: number;
	readonly #matcher: LineMatcher | undefined;
	#line: number;
	#skip: number;
	#current:
		| { text: string; length: number; tail: string; isSelected: boolean; readonly type: OutputType; readonly timestamp: string }
		| undefined;

	constructor({ line, skip }: LineStart, { limit, search }: { readonly limit: number; readonly search: LineFilter }) {
		this.#line = line;
		this.#skip = skip;
		this.#maxLines = limit;
		this.#matcher = toMatcher(search);
	}

	/** True if the maximum number of lines has been collected. */
	get isComplete(): boolean {
		return this.lines.length >= this.#maxLines;
	}

	/** Number of the first line that has not been read completely. */
	get nextLine(): number {
		return this.#line;
	}

	/** True if the last line so far has no line ending. */
	get isLineOpen(): boolean {
		return this.#current !== undefined;
	}

	/** Adds the next chunk. `text` is the output of the chunk in the form that the caller displays: masked or unmasked. */
	addChunk(text: string, chunk: Chunk): void {
		let start = this.#skipToFirstLine(text);
		start = this.#skipUnselected(text, start, chunk);
		while (start < text.length && !this.isComplete) {
			const end = text.indexOf("\n", start);
			this.#addPart(text.slice(start, end < 0 ? text.length : end), chunk);
			if (end < 0) return;
			this.#finishLine();
			start = end + 1;
		}
	}

	/** Ends the output. A last line without a line ending counts as a line. */
	end(): void {
		if (this.#current !== undefined && !this.isComplete) this.#finishLine();
	}

	/**
	 * Returns the position in a chunk at which the first requested line begins; the length of the chunk if that line begins in a later chunk.
	 */
	#skipToFirstLine(text: string): number {
		let start = 0;
		while (this.#skip > 0 && start < text.length) {
			const end = text.indexOf("\n", start);
			start = end < 0 ? text.length : end + 1;
			if (end >= 0) this.#skip -= 1;
		}
		return start;
	}

	/**
	 * Skips the complete lines of a chunk without a selected line, as most chunks are, and only counts them. Returns the position of the rest.
	 */
	#skipUnselected(text: string, start: number, { output_type }: Chunk): number {
		const matcher = this.#matcher;
		if (matcher === undefined || this.#current !== undefined || matcher.matchesType(output_type)) return start;
		const rest = start === 0 ? text : text.slice(start);
		if (matcher.matches(rest)) return start;
		this.#line += countLineEnds(rest);
		return start + rest.lastIndexOf("\n") + 1;
	}

	#addPart(part: string, { output_type: type, timestamp }: Chunk): void {
		this.#current ??= { text: "", length: 0, tail: "", isSelected: this.#matcher?.matchesType(type) ?? true, type, timestamp };
		const current = this.#current;
		if (this.#matcher !== undefined && !current.isSelected) {
			const searched = current.tail + part;
			current.isSelected = this.#matcher.matches(searched);
			current.tail = this.#matcher.overlap === 0 ? "" : searched.slice(-this.#matcher.overlap);
		}
		if (current.text.length < maxShownLength) current.text += part.slice(0, maxShownLength - current.text.length);
		current.length += part.length;
	}

	#finishLine(): void {
		const { text = "", length = 0, isSelected = false, type = "stdout", timestamp = "" } = this.#current ?? {};
		if (isSelected) this.lines.push({ line: this.#line, output_type: type, timestamp, text, length });
		this.#line += 1;
		this.#current = undefined;
	}
}

function toMatcher({ find, isErrorsOnly }: LineFilter): LineMatcher | undefined {
	if (find === undefined && isErrorsOnly !== true) return undefined;
	const matches = (text: string) => (find === undefined || text.includes(find)) && (isErrorsOnly !== true || troubleWords.test(text));
	return {
		overlap: Math.max((find?.length ?? 1) - 1, isErrorsOnly === true ? troubleWordOverlap : 0),
		matches,
		matchesType: (type) => isErrorsOnly === true && find === undefined && type === "stderr",
	};
}

/** Selection of lines of an output. */
export interface LineSelection {
	/** Maximum number of lines. Default: all. */
	readonly lines?: number | undefined;
	/** Only lines that contain this string are selected, each preceded by its number and a colon. Must not be empty. */
	readonly find?: string | undefined;
}

/** First requested line of an output, if reading begins at a later chunk than the first. */
interface LineStart {
	/** Number of the first requested line, counted from 1. */
	readonly line: number;
	/** Number of line endings to skip before that line in the text that is read. */
	readonly skip: number;
}

/**
 * Yields the selected lines of an output that is read in pieces. Keeps at most one piece, and the first 4,096 characters of a line, in
 * memory.
 */
export async function* selectLines(
	pieces: AsyncIterable<string>,
	{ line, skip }: LineStart,
	{ lines = Number.POSITIVE_INFINITY, find }: LineSelection,
): AsyncGenerator<string> {
	const selector = find === undefined ? new FirstLines(lines) : new MatchingLines(find, { line, maxLines: lines });
	let remainingSkips = skip;
	for await (const piece of pieces) {
		let start = 0;
		while (remainingSkips > 0 && start < piece.length) {
			const end = piece.indexOf("\n", start);
			start = end < 0 ? piece.length : end + 1;
			if (end >= 0) remainingSkips -= 1;
		}
		if (start === piece.length) continue;
		const selectedText = selector.take(start === 0 ? piece : piece.slice(start));
		if (selectedText !== "") yield selectedText;
		if (selector.isComplete) return;
	}
	const lastText = selector.end();
	if (lastText !== "") yield lastText;
}

/** Returns the number of line endings in a string. */
export function countLineEnds(text: string): number {
	let count = 0;
	for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) count += 1;
	return count;
}

/** Returns the number of lines of a string, including a last line without a line ending. */
export function countLines(text: string): number {
	return countLineEnds(text) + (text === "" || text.endsWith("\n") ? 0 : 1);
}

interface LineSelector {
	/** True if the maximum number of lines has been selected. */
	readonly isComplete: boolean;
	/** Returns the selected lines of the next piece. */
	take(piece: string): string;
	/** Ends the output. Returns the last line if it has no line ending and is selected; otherwise an empty string. */
	end(): string;
}

/** Selects the first lines, without changing them. */
class FirstLines implements LineSelector {
	#remaining: number;

	constructor(maxLines: number) {
		this.#remaining = maxLines;
	}

	get isComplete(): boolean {
		return this.#remaining <= 0;
	}

	take(piece: string): string {
		if (this.#remaining === Number.POSITIVE_INFINITY) return piece;
		let length = 0;
		while (this.#remaining > 0 && length < piece.length) {
			const end = piece.indexOf("\n", length);
			length = end < 0 ? piece.length : end + 1;
			if (end >= 0) this.#remaining -= 1;
		}
		return piece.slice(0, length);
	}

	end(): string {
		return "";
	}
}

/** Selects lines that contain a string, and adds their numbers. */
class MatchingLines implements LineSelector {
	readonly #find: string;
	#remaining: number;
	#line: number;
	/** Beginning of the current line, up to 4,096 characters. */
	#shown = "";
	/** Number of characters of the current line so far. */
	#length = 0;
	/** Last characters of the current line so far, in which a match may begin. */
	#tail = "";
	#isSelected = false;

	constructor(find: string, { line, maxLines }: { readonly line: number; readonly maxLines: number }) {
		this.#find = find;
		this.#line = line;
		this.#remaining = maxLines;
	}

	get isComplete(): boolean {
		return this.#remaining <= 0;
	}

	take(piece: string): string {
		let selectedText = "";
		let start = this.#skipUnselected(piece);
		while (start < piece.length && this.#remaining > 0) {
			const end = piece.indexOf("\n", start);
			this.#addPart(piece.slice(start, end < 0 ? piece.length : end));
			if (end < 0) break;
			selectedText += this.#finishLine();
			start = end + 1;
		}
		return selectedText;
	}

	end(): string {
		return this.#length === 0 ? "" : this.#finishLine();
	}

	/**
	 * Skips the complete lines of a piece without a selected line, as most pieces are, and only counts them. Returns the position of the rest.
	 */
	#skipUnselected(piece: string): number {
		if (this.#length > 0 || piece.includes(this.#find)) return 0;
		const end = piece.lastIndexOf("\n") + 1;
		this.#line += countLineEnds(piece);
		return end;
	}

	#addPart(part: string): void {
		this.#isSelected ||= (this.#tail + part).includes(this.#find);
		const overlap = this.#find.length - 1;
		this.#tail = overlap === 0 ? "" : (this.#tail + part.slice(-overlap)).slice(-overlap);
		if (this.#shown.length < maxShownLength) this.#shown += part.slice(0, maxShownLength - this.#shown.length);
		this.#length += part.length;
	}

	/** Ends the current line. Returns the line if it is selected; otherwise an empty string. */
	#finishLine(): string {
		const text = this.#isSelected ? `${this.#line}:${this.#shown}${this.#length > this.#shown.length ? " …" : ""}\n` : "";
		if (this.#isSelected) this.#remaining -= 1;
		this.#line += 1;
		this.#shown = "";
		this.#tail = "";
		this.#length = 0;
		this.#isSelected = false;
		return text;
	}
}
