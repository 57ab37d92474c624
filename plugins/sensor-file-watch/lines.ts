import type { FileHandle } from "node:fs/promises";

/** Most bytes of a line; what is longer comes in pieces of about this size. */
export const largestPiece = 65_536;

const newline = 0x0a;

export interface Line {
	/** Without its end. */
	readonly text: string;
	/** Bytes, with its end. */
	readonly length: number;
}

/** The lines of a piece of a file that are whole; of a piece that is full without one, all of it. */
export function cutLines(piece: Buffer): readonly Line[] {
	const lines: Line[] = [];
	let start = 0;
	for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
		lines.push(toLine(piece.subarray(start, end + 1)));
		start = end + 1;
	}
	if (lines.length > 0 || piece.length < largestPiece) return lines;
	// Not in the middle of a character.
	let end = piece.length - 1;
	while (end > piece.length - 4 && isContinued(piece[end])) end -= 1;
	return [toLine(piece.subarray(0, end))];
}

/** A line with or without its end. */
export function toLine(bytes: Buffer): Line {
	return { text: bytes.toString("utf8").replace(/\r?\n$/, ""), length: bytes.length };
}

/** Where the last line of a file begins that is not finished; the file's size when all are. */
export async function findLineStart(handle: FileHandle): Promise<number> {
	const { size } = await handle.stat();
	const start = Math.max(0, size - largestPiece);
	const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
	const last = buffer.subarray(0, bytesRead).lastIndexOf(newline);
	return last === -1 ? start : start + last + 1;
}

function isContinued(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}
