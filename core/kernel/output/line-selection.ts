import type { OutputChunkEntity, OutputType } from "../../contract/index.ts";
import type { LinesSelection, OutputLine, OutputSelection } from "../executions/executions-api.ts";

/** Maximum number of characters of a line in results. */
const maxShownLength = 4_096;

/** Words in the error messages of most programming languages and their runtimes. */
const troubleWords = /\b(?:error|fail|fatal|exception|traceback|panic|critical)/i;
/**
 * Characters at the end of a line part that are searched again with the next part. Exceeds the length of each word, so that no split word
 * is missed.
 */
const troubleWordOverlap = 16;

/** Conditions on the lines of an output. `find` must not be empty. */
export type LineFilter = Pick<LinesSelection, "find" | "isErrorsOnly">;

type Chunk = Pick<OutputChunkEntity, "output_type" | "timestamp">;

/** Chunk of text whose type and time do not matter. */
const unknownChunk: Chunk = { output_type: "other", timestamp: "" };

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
	readonly #lines: OutputLine[] = [];
	readonly #matcher: LineMatcher | undefined;
	/** Number of lines that may still be selected. */
	#remaining: number;
	#line: number;
	#skip: number;
	#current:
		| { text: string; length: number; tail: string; isSelected: boolean; readonly type: OutputType; readonly timestamp: string }
		| undefined;

	constructor({ line, skip }: LineStart, { limit, search }: { readonly limit: number; readonly search: LineFilter }) {
		this.#line = line;
		this.#skip = skip;
		this.#remaining = limit;
		this.#matcher = toMatcher(search);
	}

	/** True if the maximum number of lines has been selected. */
	get isComplete(): boolean {
		return this.#remaining <= 0;
	}

	/** Removes and returns the lines selected so far. */
	takeLines(): OutputLine[] {
		return this.#lines.splice(0);
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
		const firstLine = passLines(text, 0, this.#skip);
		this.#skip = firstLine.remaining;
		let start = this.#skipUnselected(text, firstLine.position, chunk);
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
		if (isSelected) {
			this.#lines.push({ line: this.#line, output_type: type, timestamp, text, length });
			this.#remaining -= 1;
		}
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

/** Selection of lines of an output. `find` must not be empty. */
export type LineSelection = Pick<OutputSelection, "lines" | "find">;

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
export function selectLines(
	pieces: AsyncIterable<string>,
	start: LineStart,
	{ lines = Number.POSITIVE_INFINITY, find }: LineSelection,
): AsyncGenerator<string> {
	return find === undefined ? takeFirstLines(pieces, start.skip, lines) : findLines(pieces, start, { limit: lines, search: { find } });
}

/** Yields the first lines after those to skip, without changing them. */
async function* takeFirstLines(pieces: AsyncIterable<string>, skip: number, maxLines: number): AsyncGenerator<string> {
	let remainingSkips = skip;
	let remainingLines = maxLines;
	for await (const piece of pieces) {
		const start = passLines(piece, 0, remainingSkips);
		const end = passLines(piece, start.position, remainingLines);
		if (end.position > start.position) yield piece.slice(start.position, end.position);
		[remainingSkips, remainingLines] = [start.remaining, end.remaining];
		if (remainingLines <= 0) return;
	}
}

/** Yields the lines that contain a string, each with its number. */
async function* findLines(
	pieces: AsyncIterable<string>,
	start: LineStart,
	selection: ConstructorParameters<typeof LineCollector>[1],
): AsyncGenerator<string> {
	const collector = new LineCollector(start, selection);
	for await (const piece of pieces) {
		collector.addChunk(piece, unknownChunk);
		yield* toNumberedText(collector.takeLines());
		if (collector.isComplete) return;
	}
	collector.end();
	yield* toNumberedText(collector.takeLines());
}

/** Yields lines as one text, unless there are none. */
function* toNumberedText(lines: readonly OutputLine[]): Generator<string> {
	const text = lines.map(({ line, text, length }) => `${line}:${text}${length > text.length ? " …" : ""}\n`).join("");
	if (text !== "") yield text;
}

/** Returns the position after the next `count` line endings, at most the end of the text, and how many of them are still to come. */
function passLines(text: string, start: number, count: number): { readonly position: number; readonly remaining: number } {
	if (count === Number.POSITIVE_INFINITY) return { position: text.length, remaining: count };
	let position = start;
	for (let remaining = count; remaining > 0; remaining -= 1) {
		position = text.indexOf("\n", position) + 1;
		if (position === 0) return { position: text.length, remaining };
	}
	return { position, remaining: 0 };
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
