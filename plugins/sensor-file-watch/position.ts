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

/** The head of a file that has been read up to an offset. */
export async function readHead(handle: FileHandle, offset: number): Promise<Head> {
	const length = Math.min(offset, headLength);
	const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
	return { length, hash: createHash("sha256").update(buffer.subarray(0, bytesRead)).digest("hex").slice(0, 32) };
}

/** Whether a file begins as it did. */
export async function hasHead(handle: FileHandle, { length, hash }: Head): Promise<boolean> {
	return (await readHead(handle, length)).hash === hash;
}

/** Whether this is the file of a position, and not shorter. */
export async function isFileAt(handle: FileHandle, { file, offset, head }: Position): Promise<boolean> {
	const found = await handle.stat({ bigint: true });
	return toFileId(found) === file && Number(found.size) >= offset && (await hasHead(handle, head));
}
