import { addRange, type TextRanges } from "./text-ranges.ts";

/** Matches in a string, and the state of the search at its end. */
export interface PatternMatches {
	/** Merged ranges of all matches. */
	readonly ranges: TextRanges;
	/** Merged ranges of the matches of marked patterns. */
	readonly markedRanges: TextRanges;
	/** State to pass to the search of the following string. */
	readonly state: number;
}

/** Searches for many patterns at once with the Aho-Corasick algorithm, in one pass over the input regardless of the patterns. */
export class AhoCorasick {
	/** `#fail`: the state of the longest proper suffix of a state that is a prefix of a pattern. `#depth`: characters of the state. */
	readonly #fail: Int32Array;
	readonly #depth: Int32Array;
	/** Length of the longest pattern that ends in the state; 0 if there is none. */
	readonly #matchLength: Int32Array;
	readonly #markedMatchLength: Int32Array;
	/** Length of the longest suffix of the state that is a proper prefix of a pattern; 0 if there is none. */
	readonly #partialLength: Int32Array;
	/** Transitions from the root for characters below 256. Most characters are processed with this table. */
	readonly #rootTransitions = new Int32Array(256);
	readonly #transitions: Transitions;

	/** @param patterns non-empty patterns; the value is true for marked ones */
	constructor(patterns: ReadonlyMap<string, boolean>) {
		let size = 1;
		for (const pattern of patterns.keys()) size += pattern.length;
		this.#fail = new Int32Array(size);
		this.#depth = new Int32Array(size);
		this.#matchLength = new Int32Array(size);
		this.#markedMatchLength = new Int32Array(size);
		this.#partialLength = new Int32Array(size);
		this.#transitions = new Transitions(size);
		this.#linkFailures(this.#addPatterns(patterns, size));
	}

	/** Finds matches in `text`, which continues an input that ended in `state`. Ranges may begin before `text`, at negative indices. */
	find(text: string, state = 0): PatternMatches {
		const ranges: number[] = [];
		const marked: number[] = [];
		const rootTransitions = this.#rootTransitions;
		const matchLengths = this.#matchLength;
		let current = state;
		for (let index = 0; index < text.length; index += 1) {
			const code = text.charCodeAt(index);
			current = current === 0 && code < 256 ? (rootTransitions[code] as number) : this.#step(current, code);
			if (current === 0) continue;
			const length = matchLengths[current] as number;
			if (length === 0) continue;
			addRange(ranges, index + 1 - length, index + 1);
			const markedLength = this.#markedMatchLength[current] as number;
			if (markedLength > 0) addRange(marked, index + 1 - markedLength, index + 1);
		}
		return { ranges, markedRanges: marked, state: current };
	}

	/** Returns how many of the last characters before `state` was reached may be the beginning of a pattern. */
	partialMatchLength(state: number): number {
		return this.#partialLength[state] as number;
	}

	#step(state: number, code: number): number {
		for (let current = state; ; current = this.#fail[current] as number) {
			const next = current === 0 && code < 256 ? (this.#rootTransitions[code] as number) : this.#transitions.get(current, code);
			if (next !== 0) return next;
			if (current === 0) return 0;
		}
	}

	/** Adds a state for each prefix of each pattern. */
	#addPatterns(patterns: ReadonlyMap<string, boolean>, size: number): AddedStates {
		const parents = new Int32Array(size);
		const codes = new Uint16Array(size);
		let count = 1;
		for (const [pattern, isMarked] of patterns) {
			let state = 0;
			for (let index = 0; index < pattern.length; index += 1) {
				const code = pattern.charCodeAt(index);
				let next = this.#transitions.get(state, code);
				if (next === 0) {
					next = count++;
					this.#transitions.set(state, code, next);
					this.#depth[next] = index + 1;
					parents[next] = state;
					codes[next] = code;
					if (state === 0 && code < 256) this.#rootTransitions[code] = next;
				}
				// A state that has a successor is an incomplete pattern.
				this.#partialLength[state] = index;
				state = next;
			}
			this.#matchLength[state] = pattern.length;
			if (isMarked) this.#markedMatchLength[state] = pattern.length;
		}
		return { parents, codes, count };
	}

	/** Sets the failure links in order of depth, because each state depends on shorter ones. */
	#linkFailures({ parents, codes, count }: AddedStates): void {
		for (const state of this.#statesByDepth(count)) {
			const parent = parents[state] as number;
			const fail = parent === 0 ? 0 : this.#step(this.#fail[parent] as number, codes[state] as number);
			this.#fail[state] = fail;
			this.#matchLength[state] ||= this.#matchLength[fail] as number;
			this.#markedMatchLength[state] ||= this.#markedMatchLength[fail] as number;
			this.#partialLength[state] ||= this.#partialLength[fail] as number;
		}
	}

	/** Returns all states except the root, sorted by depth with a counting sort. */
	#statesByDepth(count: number): Int32Array {
		const offsets = new Int32Array(count + 1);
		for (const depth of this.#depth.subarray(1, count)) offsets[depth + 1] = at(offsets, depth + 1) + 1;
		for (let depth = 1; depth <= count; depth += 1) offsets[depth] = at(offsets, depth) + at(offsets, depth - 1);
		const ordered = new Int32Array(count - 1);
		for (let state = 1; state < count; state += 1) {
			const depth = at(this.#depth, state);
			ordered[at(offsets, depth)] = state;
			offsets[depth] = at(offsets, depth) + 1;
		}
		return ordered;
	}
}

interface AddedStates {
	/** Parent state and last character of each state. */
	readonly parents: Int32Array;
	readonly codes: Uint16Array;
	readonly count: number;
}

/**
 * A hash table from a state and a character to the next state; 0 if there is none. It has twice the required capacity, so that lookups
 * are short.
 */
class Transitions {
	readonly #states: Int32Array;
	readonly #codes: Uint16Array;
	readonly #targets: Int32Array;
	readonly #mask: number;

	constructor(count: number) {
		const size = 2 ** Math.ceil(Math.log2(count * 2));
		this.#states = new Int32Array(size);
		this.#codes = new Uint16Array(size);
		this.#targets = new Int32Array(size);
		this.#mask = size - 1;
	}

	get(state: number, code: number): number {
		return this.#targets[this.#slot(state, code)] as number;
	}

	set(state: number, code: number, target: number): void {
		const slot = this.#slot(state, code);
		this.#states[slot] = state;
		this.#codes[slot] = code;
		this.#targets[slot] = target;
	}

	/** Returns the index of an entry, or the index at which it would be added. */
	#slot(state: number, code: number): number {
		let slot = (Math.imul(state, 0x9e3779b1) ^ Math.imul(code + 1, 0x85ebca6b)) >>> 7;
		for (slot &= this.#mask; ; slot = (slot + 1) & this.#mask) {
			if (this.#targets[slot] === 0 || (this.#states[slot] === state && this.#codes[slot] === code)) return slot;
		}
	}
}

function at(numbers: Int32Array, index: number): number {
	return numbers[index] as number;
}
