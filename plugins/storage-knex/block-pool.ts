/** Bytes of a block. Longer data gets a separate buffer. */
export const blockBytes = 1_048_576;
/** Unused blocks that are kept, 4 MiB in total. */
const maxSpareBlocks = 4;

/** Pool of memory blocks. Reusing them saves the garbage collection of a new block for each large text. */
export class BlockPool {
	readonly #blocks: Buffer[] = [];

	/** Takes a block from the pool, or allocates one. Its initial contents are undefined. */
	take(): Buffer {
		return this.#blocks.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
	}

	/** Returns a block to the pool. The caller must not use it afterwards. */
	release(block: Buffer): void {
		if (this.#blocks.length < maxSpareBlocks) this.#blocks.push(block);
	}
}
