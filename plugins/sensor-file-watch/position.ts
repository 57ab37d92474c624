import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

/** How far a file has been read. */
export interface Position {
	/** Random, and new whenever a file is begun: with an offset it names a line for ever. */
	readonly generation: string;
	/** Device and inode. */
	readonly file: string;
	readonly offset: number;
	/** How the file begins: inodes are used again, and a file that was emptied may have grown past the offset. */
	readonly head: Head;
}

export interface Head {
	readonly length: number;
	readonly hash: string;
}

/** Null: there was no file, so that all of what appears is new. */
export type StoredPosition = Position | null;

/** Most bytes that a file is known by. */
const headLength = 256;

export function toFileId({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
	return `${dev}:${ino}`;
}

/** The first bytes of a file that has been read up to an offset, as far as it is known by them. */
export async function readBeginning(handle: FileHandle, offset: number): Promise<Buffer> {
	const length = Math.min(offset, headLength);
	const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
	return buffer.subarray(0, bytesRead);
}

/** The same after more of it was read. What was read itself counts: the file may be written anew at any time. */
export function extendBeginning(beginning: Buffer, bytes: Buffer): Buffer {
	return beginning.length === headLength ? beginning : Buffer.concat([beginning, bytes]).subarray(0, headLength);
}

export function toHead(beginning: Buffer): Head {
	return { length: beginning.length, hash: createHash("sha256").update(beginning).digest("hex").slice(0, 32) };
}

/** Whether a file begins as it did. */
export async function hasHead(handle: FileHandle, { length, hash }: Head): Promise<boolean> {
	return toHead(await readBeginning(handle, length)).hash === hash;
}

/** Whether a file holds these bytes there. */
export async function holdsAt(handle: FileHandle, offset: number, bytes: Buffer): Promise<boolean> {
	const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes.length), 0, bytes.length, offset);
	return buffer.subarray(0, bytesRead).equals(bytes);
}

/** Whether this is the file of a position, and not shorter. */
export async function isFileAt(handle: FileHandle, { file, offset, head }: Position): Promise<boolean> {
	const found = await handle.stat({ bigint: true });
	return toFileId(found) === file && Number(found.size) >= offset && (await hasHead(handle, head));
}
