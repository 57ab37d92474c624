import type { Ranges } from "./text-ranges.ts";

/** What was found in a text, and where the search stands at its end. */
export interface Found {
	/** Everything that belongs to an occurrence. */
	readonly ranges: Ranges;
	/** The same for the patterns that were added as marked. */
	readonly marked: Ranges;
	/** To be given with the text that goes on from here. */
	readonly state: number;
}

const none: Ranges = [];

/** The search of Aho and Corasick: looks at each character once, whatever the patterns. */
export class Automaton {
	/** For each state: the one for its longest end that begins a pattern, and how long that is. */
	readonly #fail: Int32Array;
	readonly #depth: Int32Array;
	/** Length of the longest pattern that ends in the state. */
	readonly #longest: Int32Array;
	readonly #longestMarked: Int32Array;
	/** Length of the longest end that could still become a pattern. */
	readonly #open: Int32Array;
	/** The states that characters below 256 lead to from the first one, where most of a text is passed. */
	readonly #starts = new Int32Array(256);
	readonly #next: Transitions;

	/** @param patterns none of them empty; true for marked ones */
	constructor(patterns: ReadonlyMap<string, boolean>) {
		let size = 1;
		for (const pattern of patterns.keys()) size += pattern.length;
		this.#fail = new Int32Array(size);
		this.#depth = new Int32Array(size);
		this.#longest = new Int32Array(size);
		this.#longestMarked = new Int32Array(size);
		this.#open = new Int32Array(size);
		this.#next = new Transitions(size);
		this.#link(this.#add(patterns, size));
	}

	/** Occurrences in `text`, which goes on from where `state` was reached: ranges may begin before it. */
	find(text: string, state = 0): Found {
		const ranges: number[] = [];
		const marked: number[] = [];
		const starts = this.#starts;
		const longest = this.#longest;
		let current = state;
		for (let index = 0; index < text.length; index += 1) {
			const code = text.charCodeAt(index);
			current = current === 0 && code < 256 ? (starts[code] as number) : this.#step(current, code);
			if (current === 0) continue;
			const length = longest[current] as number;
			if (length === 0) continue;
			addRange(ranges, index + 1 - length, index + 1);
			const markedLength = this.#longestMarked[current] as number;
			if (markedLength > 0) addRange(marked, index + 1 - markedLength, index + 1);
		}
		return { ranges: ranges.length === 0 ? none : ranges, marked: marked.length === 0 ? none : marked, state: current };
	}

	/** How many characters before a state may be the beginning of a pattern that goes on. */
	openLength(state: number): number {
		return this.#open[state] as number;
	}

	#step(state: number, code: number): number {
		for (let current = state; ; current = this.#fail[current] as number) {
			const next = current === 0 && code < 256 ? (this.#starts[code] as number) : this.#next.get(current, code);
			if (next !== 0) return next;
			if (current === 0) return 0;
		}
	}

	/** A state for each beginning of each pattern. */
	#add(patterns: ReadonlyMap<string, boolean>, size: number): AddedStates {
		const parents = new Int32Array(size);
		const codes = new Uint16Array(size);
		let count = 1;
		for (const [pattern, isMarked] of patterns) {
			let state = 0;
			for (let index = 0; index < pattern.length; index += 1) {
				const code = pattern.charCodeAt(index);
				let next = this.#next.get(state, code);
				if (next === 0) {
					next = count++;
					this.#next.set(state, code, next);
					this.#depth[next] = index + 1;
					parents[next] = state;
					codes[next] = code;
					if (state === 0 && code < 256) this.#starts[code] = next;
				}
				// What a pattern goes on from is open.
				this.#open[state] = index;
				state = next;
			}
			this.#longest[state] = pattern.length;
			if (isMarked) this.#longestMarked[state] = pattern.length;
		}
		return { parents, codes, count };
	}

	/** States of few characters first: each builds on shorter ones. */
	#link({ parents, codes, count }: AddedStates): void {
		for (const state of this.#byDepth(count)) {
			const parent = parents[state] as number;
			const fail = parent === 0 ? 0 : this.#step(this.#fail[parent] as number, codes[state] as number);
			this.#fail[state] = fail;
			this.#longest[state] ||= this.#longest[fail] as number;
			this.#longestMarked[state] ||= this.#longestMarked[fail] as number;
			this.#open[state] ||= this.#open[fail] as number;
		}
	}

	/** All states but the first, in as many steps as there are. */
	#byDepth(count: number): Int32Array {
		const places = new Int32Array(count + 1);
		for (const depth of this.#depth.subarray(1, count)) places[depth + 1] = at(places, depth + 1) + 1;
		for (let depth = 1; depth <= count; depth += 1) places[depth] = at(places, depth) + at(places, depth - 1);
		const ordered = new Int32Array(count - 1);
		for (let state = 1; state < count; state += 1) {
			const depth = at(this.#depth, state);
			ordered[at(places, depth)] = state;
			places[depth] = at(places, depth) + 1;
		}
		return ordered;
	}
}

interface AddedStates {
	/** For each state the one before its last character, and that character. */
	readonly parents: Int32Array;
	readonly codes: Uint16Array;
	readonly count: number;
}

/** A hash table from state and character to the next state; 0: none. Twice the room that is needed, so that look-ups are short. */
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

	/** Where the pair is, or would be. */
	#slot(state: number, code: number): number {
		let slot = (Math.imul(state, 0x9e3779b1) ^ Math.imul(code + 1, 0x85ebca6b)) >>> 7;
		for (slot &= this.#mask; ; slot = (slot + 1) & this.#mask) {
			if (this.#targets[slot] === 0 || (this.#states[slot] === state && this.#codes[slot] === code)) return slot;
		}
	}
}

/** Ranges come by their ends; a longer one takes in earlier ones. */
function addRange(ranges: number[], start: number, end: number): void {
	let from = start;
	while (ranges.length > 0 && (ranges.at(-1) as number) >= from) {
		ranges.pop();
		from = Math.min(from, ranges.pop() as number);
	}
	ranges.push(from, end);
}

function at(numbers: Int32Array, index: number): number {
	return numbers[index] as number;
}
