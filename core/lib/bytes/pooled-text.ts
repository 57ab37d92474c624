import { attachBulkyBytes } from "../../contract/index.ts";
import { PrivateSlot } from "../private-slot.ts";
import { BufferPool } from "./buffer-pool.ts";

/** Maximum bytes of one pooled string. */
export const maxPooledTextLength = 131_072;
/** Minimum number of characters. Shorter output is cheaper as strings. */
const minLength = 16_384;

/** Buffers for bulk output, shared by all runs and all subscribers. */
const bufferPool = new BufferPool({ size: maxPooledTextLength, most: 16, reserved: 32 });
const textByRecord = new PrivateSlot<object, PooledText>();

/**
 * Bulk output in a pooled buffer. Each byte is an ASCII character.
 *
 * As strings, bulk output would fill the heap faster than it is collected.
 */
export class PooledText {
	readonly #buffer = bufferPool.acquire();
	#length = 0;

	/** Number of bytes in use. */
	get length(): number {
		return this.#length;
	}

	/** Number of bytes that can still be added. */
	get remainingLength(): number {
		return maxPooledTextLength - this.#length;
	}

	/** The bytes in use. They are valid until the last `release`. */
	get bytes(): Buffer {
		return this.#buffer.bytes.subarray(0, this.#length);
	}

	/** The content as a string, independent of the buffer. */
	get text(): string {
		return this.#buffer.bytes.toString("latin1", 0, this.#length);
	}

	/** Appends at most `remainingLength` bytes. Must not be called after the object has been shared. */
	append(bytes: Uint8Array): void {
		this.#buffer.bytes.set(bytes, this.#length);
		this.#length += bytes.length;
	}

	/** Appends at most `remainingLength` ASCII characters of a string, without creating a temporary buffer. */
	appendText(text: string): void {
		this.#length += this.#buffer.bytes.write(text, this.#length, "latin1");
	}

	/** Adds a reference. The caller must call `release`. The creator of the object holds the first reference. */
	retain(): void {
		this.#buffer.retain();
	}

	/** Removes a reference. Removing the last one returns the buffer to the pool. */
	release(): void {
		this.#buffer.release();
	}
}

/**
 * Adds pooled text to a record as its `data`, and returns the record. Each read of `data` creates a string.
 *
 * Storages that support bytes receive the bytes instead.
 */
export function attachPooledText<T extends object>(members: T, pooledText: PooledText): T & { readonly data: string } {
	textByRecord.set(members, pooledText);
	Object.defineProperty(members, "data", dataProperty);
	return attachBulkyBytes(members, getBytes) as T & { readonly data: string };
}

/**
 * Property descriptor that all records share. With a getter for each record, V8 (Node 20) would look up the record's members one by
 * one.
 */
const dataProperty = {
	get(this: object) {
		return textOf(this).text;
	},
	enumerable: true,
};

function getBytes(this: object): Uint8Array {
	return textOf(this).bytes;
}

function textOf(record: object): PooledText {
	return textByRecord.get(record) as PooledText;
}

/**
 * Returns a copy of the record with its `data` in a pooled buffer. The caller must release it.
 *
 * Returns undefined if a string is as good: `data` is short, too long, or not ASCII.
 */
export function toPooled<T extends { readonly data: string }>({
	data,
	...members
}: T): (Omit<T, "data"> & { readonly data: string }) | undefined {
	if (data.length < minLength || data.length > maxPooledTextLength || Buffer.byteLength(data) !== data.length) return undefined;
	const pooledText = new PooledText();
	pooledText.appendText(data);
	return attachPooledText(members, pooledText);
}

/** Returns the pooled text of a record. Returns undefined if its `data` is a string. */
export function findPooledText(record: object): PooledText | undefined {
	return textByRecord.get(record);
}

/** Returns the record with an owned string, which stays valid after the buffer has been released. */
export function withOwnedText<T extends object>(record: T): T {
	return findPooledText(record) === undefined ? record : { ...record };
}
