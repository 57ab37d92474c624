import { reserveBuffer } from "./wasm-memory.ts";

/**
 * Pool of buffers of one size.
 *
 * Without a pool, released buffers wait for a garbage collection. During bulk output they would take more memory than the rest of the
 * service.
 */
export class BufferPool {
	readonly bufferSize: number;
	readonly #maxSpare: number;
	readonly #spare: Buffer[] = [];
	/** Unused buffers in the WebAssembly memory, which is never freed. */
	readonly #spareReserved: Buffer[] = [];
	#unreservedCount: number;

	/**
	 * @param most maximum number of unused buffers to keep
	 * @param reserved number of additional buffers in the WebAssembly memory, where functions need no copy of them; they are used first
	 */
	constructor({ size, most, reserved = 0 }: { readonly size: number; readonly most: number; readonly reserved?: number }) {
		this.bufferSize = size;
		this.#maxSpare = most;
		this.#unreservedCount = reserved;
	}

	/** Returns a buffer with a reference count of 1. Its initial contents are undefined. */
	acquire(): PooledBuffer {
		const reserved = this.#spareReserved.pop() ?? this.#reserve();
		if (reserved !== undefined) return new PooledBuffer(reserved, (bytes) => this.#spareReserved.push(bytes));
		return new PooledBuffer(this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.bufferSize), (bytes) => {
			if (this.#spare.length < this.#maxSpare) this.#spare.push(bytes);
		});
	}

	#reserve(): Buffer | undefined {
		if (this.#unreservedCount === 0) return undefined;
		this.#unreservedCount -= 1;
		return reserveBuffer(this.bufferSize);
	}
}

/** A reference-counted buffer of a pool. The last `release` returns it to the pool. */
export class PooledBuffer {
	#bytes: Buffer | undefined;
	#referenceCount = 1;
	readonly #onReleased: (bytes: Buffer) => void;

	constructor(bytes: Buffer, onReleased: (bytes: Buffer) => void) {
		this.#bytes = bytes;
		this.#onReleased = onReleased;
	}

	/** The bytes of the buffer. Throws after the last `release`. */
	get bytes(): Buffer {
		if (this.#bytes === undefined) throw new Error("buffer used after it was released");
		return this.#bytes;
	}

	/** Adds a reference. The caller must call `release`. */
	retain(): void {
		this.#referenceCount += 1;
	}

	/** Removes a reference. Returns true if it was the last one. */
	release(): boolean {
		this.#referenceCount -= 1;
		if (this.#referenceCount > 0 || this.#bytes === undefined) return false;
		this.#onReleased(this.#bytes);
		this.#bytes = undefined;
		return true;
	}
}
