/** Bytes of a block; whatever is longer has bytes of its own. */
export const blockSize = 1_048_576;
const mostSpare = 4;

/** Blocks of memory that are used again: new ones for each text would only be more to collect. */
export class SpareBlocks {
	readonly #blocks: Buffer[] = [];

	/** What is in it is of no meaning. */
	take(): Buffer {
		return this.#blocks.pop() ?? Buffer.allocUnsafeSlow(blockSize);
	}

	/** Nobody may use it any more. */
	give(block: Buffer): void {
		if (this.#blocks.length < mostSpare) this.#blocks.push(block);
	}
}
