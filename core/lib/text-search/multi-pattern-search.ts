import { Automaton, type Found } from "./aho-corasick.ts";
import type { Ranges } from "./text-ranges.ts";
import { blockLength, SkipSearch } from "./wu-manber.ts";

const none: Ranges = [];
/** So many patterns of such lengths are looked for by a quicker way first: most texts hold none of them. The token of a run has 88 in base64. */
const few = { patterns: 48, shortest: blockLength, longest: 96 };

/**
 * Finds every occurrence of any number of patterns, overlapping ones too, in a time that grows with the text alone: whoever chooses both
 * patterns and text cannot make it slow. A text may come in pieces.
 */
export class SecretMatcher {
	/** Characters of the shortest pattern; infinity without patterns. */
	readonly shortest: number;
	readonly #patterns: ReadonlyMap<string, boolean>;
	/** Looks for them where they are few and short. */
	readonly #few: SkipSearch | undefined;
	/** All characters of those few, and halves of characters, between which a text may be cut. */
	readonly #alphabet: ReadonlySet<string>;
	#automaton: Automaton | undefined;

	/** @param patterns none of them empty; true for marked ones */
	constructor(patterns: ReadonlyMap<string, boolean>) {
		this.#patterns = patterns;
		const texts = [...patterns.keys()];
		this.shortest = texts.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
		const isFew = texts.length <= few.patterns && texts.every(({ length }) => length >= few.shortest && length <= few.longest);
		this.#few = isFew ? new SkipSearch(texts) : undefined;
		this.#alphabet = new Set(isFew ? texts.join("").split("") : []);
	}

	/** Occurrences in `text`, which goes on from where `state` was reached: ranges may begin before it. */
	find(text: string, state = 0): Found {
		if (state !== 0 || this.#few?.mayFind(text) !== false) return this.#whole.find(text, state);
		// Nothing is in it: what is left to tell is whether its end begins something.
		const last = text.at(-1);
		if (last === undefined || !this.#alphabet.has(last)) return { ranges: none, marked: none, state: 0 };
		return this.#whole.find(text.slice(-few.longest));
	}

	/** Whether nothing is in a text as bytes, each of them a character, nor begins at its end. False may be wrong. */
	isFreeOf(bytes: Buffer): boolean {
		if (this.#few?.mayFindIn(bytes) !== false) return false;
		const last = bytes.at(-1);
		if (last === undefined || !this.#alphabet.has(String.fromCharCode(last))) return true;
		// A character of a pattern, as in a line of nothing else, need not be how one begins.
		return this.#whole.find(bytes.toString("latin1", Math.max(0, bytes.length - few.longest))).state === 0;
	}

	/** How many characters before a state may be the beginning of a pattern that goes on. */
	openLength(state: number): number {
		return state === 0 ? 0 : this.#whole.openLength(state);
	}

	/** Made when it is first needed, which for most runs is never. */
	get #whole(): Automaton {
		this.#automaton ??= new Automaton(this.#patterns);
		return this.#automaton;
	}
}
