/** Bytes of a block. Longer data needs a separate buffer. */
export const blockBytes = 1_048_576;
/** Maximum number of unused blocks in the pool, 4 MiB in total. */
const maxSpareBlocks = 4;

/** Pool of memory blocks. Reusing them avoids allocating and collecting a new block for each large text. */
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
