import { creditWindowBytes } from "./protocol.ts";

/** Bytes of room from which it is given back when nothing waits any more. */
const largeRoom = 256 * 1024;
const firstRoom = 4 * 1024;
const noRoom = Buffer.alloc(0);

/** Bytes that are read to the place for them at most, and room before it for those that wait. */
const [placeSize, before] = [creditWindowBytes, 64 * 1024];

/** Bytes that wait in one piece of memory, which is used again: new memory for each read of a flood would only be more to collect. */
export class ByteQueue {
	#room: Buffer = noRoom;
	#start = 0;
	#end = 0;
	/** Where the next ones may be read to. */
	#next: Buffer = noRoom;

	get length(): number {
		return this.#end - this.#start;
	}

	/** Memory to read to, until `add` is called with what has come. */
	nextBuffer(): Buffer {
		if (this.#next.length === 0) this.#next = Buffer.allocUnsafeSlow(before + placeSize);
		return this.#next.subarray(before);
	}

	/** Copies them, unless they are the first bytes of the place and little waits. */
	add(bytes: Uint8Array): void {
		if (bytes.buffer === this.#next.buffer && this.length <= Math.min(before, bytes.length)) return this.#join(bytes.length);
		if (this.#end + bytes.length > this.#room.length) this.#makeRoom(this.length + bytes.length);
		this.#room.set(bytes, this.#end);
		this.#end += bytes.length;
	}

	/** The first bytes, until the next call of `add` or `drop`. */
	peek(length: number): Buffer {
		return this.#room.subarray(this.#start, this.#start + length);
	}

	/** The first bytes wait no longer. */
	drop(length: number): void {
		this.#start += length;
		if (this.#start < this.#end) return;
		this.#start = 0;
		this.#end = 0;
		if (this.#room.length > largeRoom && this.#next.length === 0) this.#room = noRoom;
	}

	/** What waits is put before what is at the place. */
	#join(length: number): void {
		const joined = this.#next;
		const start = before - this.length;
		joined.set(this.peek(this.length), start);
		this.#next = this.#room.length === joined.length ? this.#room : noRoom;
		this.#room = joined;
		this.#start = start;
		this.#end = before + length;
	}

	#makeRoom(needed: number): void {
		const waiting = this.peek(this.length);
		if (needed > this.#room.length) this.#room = Buffer.allocUnsafeSlow(Math.max(needed, this.#room.length * 2, firstRoom));
		this.#room.set(waiting);
		this.#end = waiting.length;
		this.#start = 0;
	}
}
