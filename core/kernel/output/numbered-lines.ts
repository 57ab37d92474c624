import type { OutputChunkEntity, OutputType } from "../../contract/index.ts";
import type { OutputLine } from "../executions/executions-api.ts";
import { countLineEnds, type LinePlace } from "./line-selection.ts";

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
