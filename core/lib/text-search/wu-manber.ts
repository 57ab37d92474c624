/** Characters that are looked at together. */
export const blockLength = 3;
const slots = 8_192;
const longestPattern = 250;

/**
 * Whether one of a few patterns is in a text, by the search of Wu and Manber: where three characters stand in no pattern, none can lie
 * over them, and the search skips nearly the length of the shortest pattern. Most of a text is never looked at.
 */
export class SkipSearch {
	readonly #patterns: readonly string[];
	/** Length of the shortest pattern: of longer ones the beginning is looked for. */
	readonly #window: number;
	/** By characters at the end of the window: how far it may move on without passing over a pattern. */
	readonly #skips: Uint8Array;
	/** By characters at its start: whether a pattern begins so. Output of digits alone has many ends of what is written in them. */
	readonly #starts: Uint8Array;

	/** @param patterns of `blockLength` to `longestPattern` characters */
	constructor(patterns: readonly string[]) {
		this.#patterns = patterns;
		this.#window = Math.min(...patterns.map(({ length }) => length), longestPattern);
		this.#skips = new Uint8Array(slots).fill(this.#window - blockLength + 1);
		this.#starts = new Uint8Array(slots);
		for (const pattern of patterns) {
			this.#starts[toSlot(pattern, blockLength - 1)] = 1;
			for (let last = blockLength - 1; last < this.#window; last += 1) {
				const slot = toSlot(pattern, last);
				this.#skips[slot] = Math.min(this.#skips[slot] as number, this.#window - 1 - last);
			}
		}
	}

	/** False where none of them is in the text. True may be wrong: where too much looks like a pattern, the search gives up. */
	mayFind(text: string): boolean {
		if (this.#patterns.length === 0) return false;
		const skips = this.#skips;
		const window = this.#window;
		let looks = 16 + text.length / (8 * this.#patterns.length);
		for (let last = window - 1; last < text.length; ) {
			const skip = skips[toSlot(text, last)] as number;
			if (skip > 0) {
				last += skip;
				continue;
			}
			const start = last - window + 1;
			last += 1;
			if (this.#starts[toSlot(text, start + blockLength - 1)] === 0) continue;
			looks -= 1;
			if (looks < 0 || this.#patterns.some((pattern) => text.startsWith(pattern, start))) return true;
		}
		return false;
	}

	/** The same for text as bytes, each of them a character. */
	mayFindIn(bytes: Buffer): boolean {
		if (this.#patterns.length === 0) return false;
		const skips = this.#skips;
		const window = this.#window;
		let looks = 16 + bytes.length / (8 * this.#patterns.length);
		for (let last = window - 1; last < bytes.length; ) {
			const skip = skips[toSlotOf(bytes, last)] as number;
			if (skip > 0) {
				last += skip;
				continue;
			}
			const start = last - window + 1;
			last += 1;
			if (this.#starts[toSlotOf(bytes, start + blockLength - 1)] === 0) continue;
			looks -= 1;
			const text = looks < 0 ? "" : bytes.toString("latin1", start, start + longestPattern);
			if (looks < 0 || this.#patterns.some((pattern) => text.startsWith(pattern))) return true;
		}
		return false;
	}
}

/** Where the skip for three characters stands; others may have the same place, which makes it only shorter. */
function toSlot(text: string, last: number): number {
	return (text.charCodeAt(last) ^ (text.charCodeAt(last - 1) << 4) ^ (text.charCodeAt(last - 2) << 8)) & (slots - 1);
}

/** The same in bytes. */
function toSlotOf(bytes: Uint8Array, last: number): number {
	return ((bytes[last] as number) ^ ((bytes[last - 1] as number) << 4) ^ ((bytes[last - 2] as number) << 8)) & (slots - 1);
}
