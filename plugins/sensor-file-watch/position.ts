import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

/** Position up to which a file was read. */
export interface Position {
	/**
	 * Random id, renewed whenever the sensor starts reading a new or rewritten file. Together with an offset it identifies a line permanently.
	 */
	readonly generation: string;
	/** Device and inode. */
	readonly file: string;
	readonly offset: number;
	/** Hash of the file's beginning. Needed because inodes are reused, and a truncated file may have grown past the offset. */
	readonly head: Head;
}

export interface Head {
	readonly length: number;
	readonly hash: string;
}

/** Stored position. Null means that the file did not exist, so all its later contents are new. */
export type StoredPosition = Position | null;

/** Maximum bytes of the beginning that identifies a file. */
const headLength = 256;

export function toFileId({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
	return `${dev}:${ino}`;
}

/** Returns the first bytes of a file, which identify it, up to the offset. */
export async function readBeginning(handle: FileHandle, offset: number): Promise<Buffer> {
	const length = Math.min(offset, headLength);
	const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
	return buffer.subarray(0, bytesRead);
}

/**
 * Extends the first bytes of a file, with which it is recognized, by bytes that were read after them. Does not read the file again, because
 * it may have been rewritten.
 */
export function extendBeginning(beginning: Buffer, bytes: Buffer): Buffer {
	return beginning.length === headLength ? beginning : Buffer.concat([beginning, bytes]).subarray(0, headLength);
}

export function toHead(beginning: Buffer): Head {
	return { length: beginning.length, hash: createHash("sha256").update(beginning).digest("hex").slice(0, 32) };
}

/** Returns true if the file still has the same beginning. */
export async function hasHead(handle: FileHandle, { length, hash }: Head): Promise<boolean> {
	return toHead(await readBeginning(handle, length)).hash === hash;
}

/** Returns true if a file contains these bytes at the offset. */
export async function holdsAt(handle: FileHandle, offset: number, bytes: Buffer): Promise<boolean> {
	const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes.length), 0, bytes.length, offset);
	return buffer.subarray(0, bytesRead).equals(bytes);
}

/** Returns true if this is the file of a position and it is not shorter than the offset. */
export async function isFileAt(handle: FileHandle, { file, offset, head }: Position): Promise<boolean> {
	const found = await handle.stat({ bigint: true });
	return toFileId(found) === file && Number(found.size) >= offset && (await hasHead(handle, head));
}
