import { creditWindowBytes } from "./protocol.ts";

/** Size in bytes above which an empty buffer is released. */
const maxIdleBytes = 256 * 1024;
const minBufferBytes = 4 * 1024;
const noBuffer = Buffer.alloc(0);

/** Maximum bytes of one read, and space reserved in front of them for bytes that still wait in the queue. */
const [maxReadBytes, reservedBytes] = [creditWindowBytes, 64 * 1024];

/** Queue of bytes in one reused buffer. A new buffer for each read would only create garbage during bulk output. */
export class ByteQueue {
	#buffer: Buffer = noBuffer;
	#start = 0;
	#end = 0;
	/** Buffer for the next read, whose first `reservedBytes` stay free. */
	#next: Buffer = noBuffer;

	get length(): number {
		return this.#end - this.#start;
	}

	/** Returns memory to read into, until `add` is called with the bytes that were read. */
	nextBuffer(): Buffer {
		if (this.#next.length === 0) this.#next = Buffer.allocUnsafeSlow(reservedBytes + maxReadBytes);
		return this.#next.subarray(reservedBytes);
	}

	/** Appends bytes. Copies them, unless they were read into the memory for the next read and few bytes wait. */
	add(bytes: Uint8Array): void {
		if (bytes.buffer === this.#next.buffer && this.length <= Math.min(reservedBytes, bytes.length)) return this.#join(bytes.length);
		if (this.#end + bytes.length > this.#buffer.length) this.#ensureSpace(this.length + bytes.length);
		this.#buffer.set(bytes, this.#end);
		this.#end += bytes.length;
	}

	/** Returns the first bytes without removing them; valid until the next call of `add` or `drop`. */
	peek(length: number): Buffer {
		return this.#buffer.subarray(this.#start, this.#start + length);
	}

	/** Removes the first bytes. */
	drop(length: number): void {
		this.#start += length;
		if (this.#start < this.#end) return;
		this.#start = 0;
		this.#end = 0;
		if (this.#buffer.length > maxIdleBytes && this.#next.length === 0) this.#buffer = noBuffer;
	}

	/** Copies the waiting bytes in front of those that were just read, and makes that memory the queue's buffer. */
	#join(length: number): void {
		const joined = this.#next;
		const start = reservedBytes - this.length;
		joined.set(this.peek(this.length), start);
		this.#next = this.#buffer.length === joined.length ? this.#buffer : noBuffer;
		this.#buffer = joined;
		this.#start = start;
		this.#end = reservedBytes + length;
	}

	#ensureSpace(needed: number): void {
		const waiting = this.peek(this.length);
		if (needed > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2, minBufferBytes));
		this.#buffer.set(waiting);
		this.#end = waiting.length;
		this.#start = 0;
	}
}
