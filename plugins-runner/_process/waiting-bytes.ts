/** Bytes of room from which it is given back when nothing waits any more. */
const largeRoom = 256 * 1024;
const firstRoom = 4 * 1024;

/** Bytes that wait in one piece of memory, which is used again: new memory for each read of a flood would only be more to collect. */
export class WaitingBytes {
	#room = Buffer.allocUnsafeSlow(0);
	#start = 0;
	#end = 0;

	get length(): number {
		return this.#end - this.#start;
	}

	/** Copies them. */
	add(bytes: Uint8Array): void {
		if (this.#end + bytes.length > this.#room.length) this.#makeRoom(this.length + bytes.length);
		this.#room.set(bytes, this.#end);
		this.#end += bytes.length;
	}

	/** The first bytes, until the next call of `add` or `drop`. */
	first(length: number): Buffer {
		return this.#room.subarray(this.#start, this.#start + length);
	}

	/** The first bytes wait no longer. */
	drop(length: number): void {
		this.#start += length;
		if (this.#start < this.#end) return;
		this.#start = 0;
		this.#end = 0;
		if (this.#room.length > largeRoom) this.#room = Buffer.allocUnsafeSlow(0);
	}

	#makeRoom(needed: number): void {
		const waiting = this.first(this.length);
		if (needed > this.#room.length) this.#room = Buffer.allocUnsafeSlow(Math.max(needed, this.#room.length * 2, firstRoom));
		this.#room.set(waiting);
		this.#end = waiting.length;
		this.#start = 0;
	}
}
