import { AhoCorasick, type PatternMatches } from "./aho-corasick.ts";
import type { TextRanges } from "./text-ranges.ts";
import { blockLength, WuManber } from "./wu-manber.ts";

const noRanges: TextRanges = [];
/**
 * Limits within which patterns are searched with the faster Wu-Manber algorithm first. Most inputs contain no pattern.
 *
 * `maxLength` includes the token of a run, which has 88 characters in base64.
 */
const skipSearchLimits = { maxPatterns: 48, minLength: blockLength, maxLength: 96 };

/**
 * Finds all matches of any number of patterns, including overlapping ones. An input may be searched in chunks.
 *
 * The time grows with the length of the input alone, so that even a malicious combination of patterns and input cannot make the search
 * slow.
 */
export class MultiPatternSearch {
	readonly #patterns: ReadonlyMap<string, boolean>;
	/** Faster search. Undefined if the patterns exceed its limits. */
	readonly #skipSearch: WuManber | undefined;
	/**
	 * All UTF-16 code units of the patterns, if they are within the limits. They are not characters, because a chunk may end between the
	 * surrogates of a pair.
	 */
	readonly #codeUnits: ReadonlySet<string>;
	#automaton: AhoCorasick | undefined;

	/** @param patterns non-empty patterns; the value is true for marked ones */
	constructor(patterns: ReadonlyMap<string, boolean>) {
		this.#patterns = patterns;
		const texts = [...patterns.keys()];
		const isWithinLimits =
			texts.length <= skipSearchLimits.maxPatterns &&
			texts.every(({ length }) => length >= skipSearchLimits.minLength && length <= skipSearchLimits.maxLength);
		this.#skipSearch = isWithinLimits ? new WuManber(texts) : undefined;
		this.#codeUnits = new Set(isWithinLimits ? texts.join("").split("") : []);
	}

	/** Finds matches in `text`, which continues an input that ended in `state`. Ranges may begin before `text`, at negative indices. */
	find(text: string, state = 0): PatternMatches {
		if (state !== 0 || this.#skipSearch?.mayContainMatch(text) !== false) return this.#fullSearch.find(text, state);
		// There is no complete match. Only a pattern that begins at the end of the string is still possible.
		const last = text.at(-1);
		if (last === undefined || !this.#codeUnits.has(last)) return { ranges: noRanges, markedRanges: noRanges, state: 0 };
		return this.#fullSearch.find(text.slice(-skipSearchLimits.maxLength));
	}

	/**
	 * Returns true if an input contains no match, and no pattern begins at its end. Each byte is one character.
	 *
	 * A result of false is not certain.
	 */
	cannotMatch(bytes: Buffer): boolean {
		if (this.#skipSearch?.mayContainMatchInBytes(bytes) !== false) return false;
		const last = bytes.at(-1);
		if (last === undefined || !this.#codeUnits.has(String.fromCharCode(last))) return true;
		// The last character occurs in a pattern, but may not begin one, as in a line that consists of that character alone.
		return this.#fullSearch.find(bytes.toString("latin1", Math.max(0, bytes.length - skipSearchLimits.maxLength))).state === 0;
	}

	/** Returns how many of the last characters before `state` was reached may be the beginning of a pattern. */
	partialMatchLength(state: number): number {
		return state === 0 ? 0 : this.#fullSearch.partialMatchLength(state);
	}

	/** Automaton for the full search. Created at first use, because most runs never need it. */
	get #fullSearch(): AhoCorasick {
		this.#automaton ??= new AhoCorasick(this.#patterns);
		return this.#automaton;
	}
}
