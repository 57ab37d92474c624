import { blankRanges, cutRanges, joinRanges, type Ranges } from "../lib/text-search/text-ranges.ts";
import type { KnownSecrets } from "./redactor.ts";

/** Text that may be passed on. */
export interface Released {
	readonly data: string;
	/** Ranges of `data` that are secret. */
	readonly ranges: Ranges;
	/** Ranges of `data` that contained the token of the run. The token itself has been replaced by asterisks. */
	readonly blanks: Ranges;
}

const emptyRelease: Released = { data: "", ranges: [], blanks: [] };

/** If a text ends with this many leading characters of a secret, the secret was truncated there, and its beginning is masked. */
const minPartialLength = 8;

/**
 * Finds secrets in a text that arrives in pieces, wherever the pieces are split. Replaces the token of the run by asterisks.
 *
 * The end of a piece may be the beginning of a secret. It is then held back until the next piece arrives or the text ends.
 */
export class SecretStream {
	readonly #secrets: KnownSecrets;
	#state = 0;
	#heldText = "";
	#heldRanges: Ranges = [];
	#heldBlankRanges: Ranges = [];

	constructor(secrets: KnownSecrets) {
		this.#secrets = secrets;
	}

	/** The text that is currently held back. */
	get held(): Released {
		return { data: this.#heldText, ranges: this.#heldRanges, blanks: this.#heldBlankRanges };
	}

	/** Adds a piece. Returns the text that can be passed on. */
	push(data: string): Released {
		if (this.#secrets.isEmpty) return { data, ranges: [], blanks: [] };
		if (this.#state === 0 && this.#heldText === "" && this.#secrets.isFreeLine(data)) return { data, ranges: [], blanks: [] };
		const { matcher, isUnknown } = this.#secrets;
		const { ranges, marked, state } = matcher.find(data, this.#state);
		this.#state = state;
		const offset = this.#heldText.length;
		const text = blankRanges(this.#heldText + data, joinRanges([], marked, offset));
		const releasedLength = text.length - matcher.openLength(state);
		const allRanges = isUnknown ? [0, text.length] : joinRanges(this.#heldRanges, ranges, offset);
		const blanks = joinRanges(this.#heldBlankRanges, marked, offset);
		this.#heldText = text.slice(releasedLength);
		this.#heldRanges = cutRanges(allRanges, releasedLength, text.length);
		this.#heldBlankRanges = cutRanges(blanks, releasedLength, text.length);
		return {
			data: text.slice(0, releasedLength),
			ranges: cutRanges(allRanges, 0, releasedLength),
			blanks: cutRanges(blanks, 0, releasedLength),
		};
	}

	/** Returns true if text that is given as bytes, one for each character, may be passed on unchanged. Otherwise pass it to `push`. */
	passes(bytes: Buffer): boolean {
		if (this.#secrets.isEmpty) return true;
		return this.#state === 0 && this.#heldText === "" && !this.#secrets.isUnknown && this.#secrets.matcher.isFreeOf(bytes);
	}

	/**
	 * Ends the text. Returns the part that was held back.
	 *
	 * The part is marked as secret if it is long enough to be distinguished from ordinary text. With `goesOn`, it is marked at any
	 * length, because another process will pass on the rest of the text.
	 */
	end({ goesOn = false } = {}): Released {
		const { data, ranges, blanks } = this.held;
		if (data === "") return emptyRelease;
		const isSecret = goesOn || data.length >= minPartialLength || this.#secrets.isUnknown;
		this.#heldText = "";
		this.#heldRanges = [];
		this.#heldBlankRanges = [];
		return { data, ranges: isSecret ? [0, data.length] : ranges, blanks };
	}

	/** Continues after text that another process has passed on, so that a secret which begins there is found. */
	restore(data: string): void {
		if (!this.#secrets.isEmpty) this.#state = this.#secrets.matcher.find(data, this.#state).state;
	}
}
