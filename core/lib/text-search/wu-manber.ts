/** Number of characters that are hashed together. */
export const blockLength = 3;
const tableSize = 8_192;
const maxPatternLength = 250;

/**
 * Tests whether an input contains one of a few patterns, with the Wu-Manber algorithm. Most characters are never examined.
 *
 * If three characters occur in no pattern, no match can overlap them. The search then skips nearly the length of the shortest pattern.
 */
export class WuManber {
	readonly #patterns: readonly string[];
	/** Length of the shortest pattern. The search compares prefixes of this length. */
	readonly #window: number;
	/** Distance that the window can move without missing a match, by the hash of the last characters of the window. */
	readonly #skips: Uint8Array;
	/**
	 * 1 if a pattern begins with the first characters of the window, by their hash.
	 *
	 * Without this filter, output that consists of digits would often be compared with all patterns because only the end of a window matches.
	 */
	readonly #starts: Uint8Array;

	/** @param patterns patterns of `blockLength` to 250 characters */
	constructor(patterns: readonly string[]) {
		this.#patterns = patterns;
		this.#window = Math.min(...patterns.map(({ length }) => length), maxPatternLength);
		this.#skips = new Uint8Array(tableSize).fill(this.#window - blockLength + 1);
		this.#starts = new Uint8Array(tableSize);
		for (const pattern of patterns) {
			this.#starts[hashAt(pattern, blockLength - 1)] = 1;
			for (let last = blockLength - 1; last < this.#window; last += 1) {
				const hash = hashAt(pattern, last);
				this.#skips[hash] = Math.min(this.#skips[hash] as number, this.#window - 1 - last);
			}
		}
	}

	/**
	 * Returns false if the input contains none of the patterns. A result of true is not certain: the search gives up after too many similar
	 * positions.
	 */
	mayContainMatch(text: string): boolean {
		if (this.#patterns.length === 0) return false;
		const skips = this.#skips;
		const window = this.#window;
		let remainingChecks = 16 + text.length / (8 * this.#patterns.length);
		for (let last = window - 1; last < text.length; ) {
			const skip = skips[hashAt(text, last)] as number;
			if (skip > 0) {
				last += skip;
				continue;
			}
			const start = last - window + 1;
			last += 1;
			if (this.#starts[hashAt(text, start + blockLength - 1)] === 0) continue;
			remainingChecks -= 1;
			if (remainingChecks < 0 || this.#patterns.some((pattern) => text.startsWith(pattern, start))) return true;
		}
		return false;
	}

	/** Returns false if an input contains none of the patterns. Each byte is one character. A result of true is not certain. */
	mayContainMatchInBytes(bytes: Buffer): boolean {
		if (this.#patterns.length === 0) return false;
		const skips = this.#skips;
		const window = this.#window;
		let remainingChecks = 16 + bytes.length / (8 * this.#patterns.length);
		for (let last = window - 1; last < bytes.length; ) {
			const skip = skips[hashBytesAt(bytes, last)] as number;
			if (skip > 0) {
				last += skip;
				continue;
			}
			const start = last - window + 1;
			last += 1;
			if (this.#starts[hashBytesAt(bytes, start + blockLength - 1)] === 0) continue;
			remainingChecks -= 1;
			const text = remainingChecks < 0 ? "" : bytes.toString("latin1", start, start + maxPatternLength);
			if (remainingChecks < 0 || this.#patterns.some((pattern) => text.startsWith(pattern))) return true;
		}
		return false;
	}
}

/** Returns the hash of three characters. A collision can only shorten a skip. */
function hashAt(text: string, last: number): number {
	return (text.charCodeAt(last) ^ (text.charCodeAt(last - 1) << 4) ^ (text.charCodeAt(last - 2) << 8)) & (tableSize - 1);
}

/** Returns the hash of three bytes. */
function hashBytesAt(bytes: Uint8Array, last: number): number {
	return ((bytes[last] as number) ^ ((bytes[last - 1] as number) << 4) ^ ((bytes[last - 2] as number) << 8)) & (tableSize - 1);
}
