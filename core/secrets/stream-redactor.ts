import { blankRanges, cutRanges, joinRanges, type Ranges } from "../lib/text-search/text-ranges.ts";
import type { KnownSecrets } from "./redactor.ts";

/** Text that may be given out. */
export interface Released {
	readonly data: string;
	/** What of it is secret. */
	readonly ranges: Ranges;
	/** What of that was the token of the run, which is not in the data any more. */
	readonly blanks: Ranges;
}

const nothing: Released = { data: "", ranges: [], blanks: [] };

/** A text that ends with so many characters of a secret was cut there. */
const shortestBeginning = 8;

/**
 * Marks secrets in a text that comes in pieces, wherever it was cut: the end of a piece that may be the beginning of a secret is held
 * back until more is there, or until nothing follows. The token of a run is gone from what is given out.
 */
export class SecretStream {
	readonly #secrets: KnownSecrets;
	#state = 0;
	#held = "";
	#heldRanges: Ranges = [];
	#heldBlanks: Ranges = [];

	constructor(secrets: KnownSecrets) {
		this.#secrets = secrets;
	}

	/** What is held back now. */
	get held(): Released {
		return { data: this.#held, ranges: this.#heldRanges, blanks: this.#heldBlanks };
	}

	push(data: string): Released {
		if (this.#secrets.isEmpty) return { data, ranges: [], blanks: [] };
		if (this.#state === 0 && this.#held === "" && this.#secrets.isFreeLine(data)) return { data, ranges: [], blanks: [] };
		const { matcher, isUnknown } = this.#secrets;
		const { ranges, marked, state } = matcher.find(data, this.#state);
		this.#state = state;
		const offset = this.#held.length;
		const all = blankRanges(this.#held + data, joinRanges([], marked, offset));
		const released = all.length - matcher.openLength(state);
		const joined = isUnknown ? [0, all.length] : joinRanges(this.#heldRanges, ranges, offset);
		const blanks = joinRanges(this.#heldBlanks, marked, offset);
		this.#held = all.slice(released);
		this.#heldRanges = cutRanges(joined, released, all.length);
		this.#heldBlanks = cutRanges(blanks, released, all.length);
		return { data: all.slice(0, released), ranges: cutRanges(joined, 0, released), blanks: cutRanges(blanks, 0, released) };
	}

	/** Whether a text as bytes, each of them a character, may be given out as it is. Where it may not, it must be pushed. */
	passes(bytes: Buffer): boolean {
		if (this.#secrets.isEmpty) return true;
		return this.#state === 0 && this.#held === "" && !this.#secrets.isUnknown && this.#secrets.matcher.isFreeOf(bytes);
	}

	/**
	 * What is still held back. As secret when it is long enough to be told from ordinary text, or, with `goesOn`, at any length: then
	 * others will give out what follows.
	 */
	end({ goesOn = false } = {}): Released {
		const { data, ranges, blanks } = this.held;
		if (data === "") return nothing;
		const isSecret = goesOn || data.length >= shortestBeginning || this.#secrets.isUnknown;
		this.#held = "";
		this.#heldRanges = [];
		this.#heldBlanks = [];
		return { data, ranges: isSecret ? [0, data.length] : ranges, blanks };
	}

	/** What was given out by an earlier process, so that a secret is recognised that began there. */
	restore(data: string): void {
		if (!this.#secrets.isEmpty) this.#state = this.#secrets.matcher.find(data, this.#state).state;
	}
}
