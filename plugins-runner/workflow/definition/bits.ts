/** Set of numbers below a limit, as one bit for each number, because thousands of sets exist at once. */
export type Bits = Uint32Array;

export function createBits(limit: number, filled = false): Bits {
	return new Uint32Array(Math.ceil(limit / 32)).fill(filled ? 0xffffffff : 0);
}

export function addBit(bits: Bits, number: number): void {
	bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31));
}

export function hasBit(bits: Bits, number: number): boolean {
	return ((bits[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
}

/** Adds the numbers of the other set. Returns true if the set has changed. */
export function addAll(bits: Bits, other: Bits): boolean {
	return change(bits, (word, index) => word | (other[index] ?? 0));
}

/** Removes the numbers that the other set does not have. Returns true if the set has changed. */
export function keepAll(bits: Bits, other: Bits): boolean {
	return change(bits, (word, index) => word & (other[index] ?? 0));
}

export function areEqual(bits: Bits, other: Bits): boolean {
	return bits.every((word, index) => word === other[index]);
}

function change(bits: Bits, toWord: (word: number, index: number) => number): boolean {
	let isChanged = false;
	for (const [index, word] of bits.entries()) {
		const next = toWord(word, index) >>> 0;
		isChanged ||= next !== word;
		bits[index] = next;
	}
	return isChanged;
}
