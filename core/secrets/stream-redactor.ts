import { blankRanges, joinRanges, sliceRanges, type TextRanges } from "../lib/text-search/text-ranges.ts";
import type { Redactor } from "./redactor.ts";

/** Output that may be passed on. */
export interface ReleasedText {
	readonly data: string;
	/** Ranges of `data` that are secret. */
	readonly secretRanges: TextRanges;
	/** Ranges of `data` that contained the token of the run. The token itself has been replaced by asterisks. */
	readonly tokenRanges: TextRanges;
}

const emptyRelease: ReleasedText = { data: "", secretRanges: [], tokenRanges: [] };

/** If the output ends with this many leading characters of a secret, the secret was truncated there, and its beginning is masked. */
const minPartialLength = 8;

/**
 * Finds secrets in output that arrives in chunks, wherever the chunks are split. Replaces the token of the run by asterisks.
 *
 * The end of a chunk may be the beginning of a secret. It is then held back until the next chunk arrives or the output ends.
 */
export class StreamRedactor {
	readonly #secrets: Redactor;
	#state = 0;
	#heldText = "";
	#heldRanges: TextRanges = [];
	#heldBlankRanges: TextRanges = [];

	constructor(secrets: Redactor) {
		this.#secrets = secrets;
	}

	/** The output that is currently held back. */
	get heldBack(): ReleasedText {
		return { data: this.#heldText, secretRanges: this.#heldRanges, tokenRanges: this.#heldBlankRanges };
	}

	/** Adds a chunk. Returns the output that can be passed on. */
	push(data: string): ReleasedText {
		if (this.#secrets.isEmpty || (this.#state === 0 && this.#heldText === "" && this.#secrets.cannotContainSecret(data)))
			return { data, secretRanges: [], tokenRanges: [] };
		const { search, isUnknown } = this.#secrets;
		const { ranges, markedRanges, state } = search.find(data, this.#state);
		this.#state = state;
		const offset = this.#heldText.length;
		const text = blankRanges(this.#heldText + data, joinRanges([], markedRanges, offset));
		const releasedLength = text.length - search.partialMatchLength(state);
		const allRanges = isUnknown ? [0, text.length] : joinRanges(this.#heldRanges, ranges, offset);
		const blanks = joinRanges(this.#heldBlankRanges, markedRanges, offset);
		this.#heldText = text.slice(releasedLength);
		this.#heldRanges = sliceRanges(allRanges, releasedLength, text.length);
		this.#heldBlankRanges = sliceRanges(blanks, releasedLength, text.length);
		return {
			data: text.slice(0, releasedLength),
			secretRanges: sliceRanges(allRanges, 0, releasedLength),
			tokenRanges: sliceRanges(blanks, 0, releasedLength),
		};
	}

	/** Returns true if a chunk may be passed on unchanged. Each byte is one character of the chunk. Otherwise pass the chunk to `push`. */
	mayPassUnchanged(bytes: Buffer): boolean {
		if (this.#secrets.isEmpty) return true;
		return this.#state === 0 && this.#heldText === "" && !this.#secrets.isUnknown && this.#secrets.search.cannotMatch(bytes);
	}

	/**
	 * Ends the output. Returns the part that was held back.
	 *
	 * The part is marked as secret if it is long enough to be distinguished from ordinary output. With `willContinue`, it is marked at any
	 * length, because another process will pass on the rest of the output.
	 */
	end({ willContinue = false } = {}): ReleasedText {
		const { data, secretRanges, tokenRanges } = this.heldBack;
		if (data === "") return emptyRelease;
		const isSecret = willContinue || data.length >= minPartialLength || this.#secrets.isUnknown;
		this.#heldText = "";
		this.#heldRanges = [];
		this.#heldBlankRanges = [];
		return { data, secretRanges: isSecret ? [0, data.length] : secretRanges, tokenRanges };
	}

	/** Continues after output that another process has passed on, so that a secret which begins there is found. */
	restore(data: string): void {
		if (!this.#secrets.isEmpty) this.#state = this.#secrets.search.find(data, this.#state).state;
	}
}
