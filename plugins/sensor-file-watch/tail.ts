import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
	extendBeginning,
	type Head,
	hasHead,
	holdsAt,
	isFileAt,
	type Position,
	readBeginning,
	type StoredPosition,
	toFileId,
	toHead,
} from "./position.ts";
import { unlessMissing, type WatchedFiles } from "./watched-files.ts";

export interface TailOptions {
	readonly path: string;
	readonly files: WatchedFiles;
	readonly signal: AbortSignal;
	/** Returns the stored position, or undefined if this file was never watched. */
	load(): Promise<StoredPosition | undefined>;
	save(position: StoredPosition): Promise<void>;
	/** Called for each line with a key that stays the same if the line is read again. */
	onLine(line: string, key: string): Promise<void>;
	/** Called if a file was replaced while it was not watched. */
	onGap(): void;
}

interface Current {
	readonly handle: FileHandle;
	readonly generation: string;
	readonly file: string;
	offset: number;
	head: Head;
	/** The first bytes of the file, which the head is computed from. */
	beginning: Buffer;
	/** Modification time in nanoseconds when the file was last read to its end; -1 before the first time. */
	changed: bigint;
	/** Offset and time of the last saved position. */
	saved: { readonly offset: number; readonly at: number } | undefined;
}

/** Polls without new lines in a replaced file before the new file is read, because the writer may still write into the old one. */
const quietLooks = 3;
/** Milliseconds between two saves of the position. Lines that are read again after a crash are recognized by their keys. */
const saveInterval = 5_000;

/** Follows one file across rotation and truncation. */
export class Tail {
	readonly #options: TailOptions;
	#current: Current | undefined;
	/** Consecutive polls that found nothing new in a file that was replaced. */
	#quiet = 0;

	constructor(options: TailOptions) {
		this.#options = options;
	}

	/** Reports new lines, and follows a rotation. */
	async look(): Promise<void> {
		if (this.#current === undefined) await this.#open();
		if (this.#current === undefined) return;
		const isWritten = await this.#read(this.#current);
		if (!this.#options.signal.aborted) await this.#changeOver(this.#current, isWritten);
		if (this.#current.saved === undefined || performance.now() - this.#current.saved.at > saveInterval) await this.#keep(this.#current);
	}

	/** Saves the position and closes the file. */
	async stop(): Promise<void> {
		if (this.#current === undefined) return;
		const last = this.#current;
		this.#current = undefined;
		try {
			await this.#keep(last);
		} finally {
			await last.handle.close();
		}
	}

	/** Opens the file, or the rotated one to read its last lines. */
	async #open(): Promise<void> {
		const position = await this.#options.load();
		const handle = await this.#options.files.open(this.#options.path);
		let rotated: FileHandle | undefined;
		try {
			if (position === undefined && handle === undefined) return await this.#options.save(null);
			// If a file existed before it was watched, only lines appended later count.
			if (position === undefined && handle !== undefined) return await this.#begin(handle, await findLineStart(handle));
			if (position === undefined || position === null) return handle && (await this.#begin(handle, 0));
			if (handle !== undefined && (await isFileAt(handle, position))) return await this.#take(handle, position);
			rotated = await findRotated(this.#options.path, position);
			if (rotated !== undefined) return await this.#take(rotated, position);
			if (handle === undefined) return;
			if (toFileId(await handle.stat({ bigint: true })) !== position.file) this.#options.onGap();
			await this.#begin(handle, 0);
		} finally {
			for (const opened of [handle, rotated]) if (opened !== this.#current?.handle) await opened?.close();
		}
	}

	async #take(handle: FileHandle, { generation, file, offset, head }: NonNullable<StoredPosition>): Promise<void> {
		const beginning = await readBeginning(handle, head.length);
		this.#quiet = 0;
		this.#current = { handle, generation, file, offset, head, beginning, changed: -1n, saved: { offset, at: performance.now() } };
	}

	/**
	 * Starts reading a file with a new generation. The position is saved before the first line is reported, so that the keys of lines stay
	 * the same after a crash.
	 */
	async #begin(handle: FileHandle, offset: number): Promise<void> {
		const position = {
			generation: randomBytes(8).toString("hex"),
			file: toFileId(await handle.stat({ bigint: true })),
			offset,
			head: toHead(await readBeginning(handle, offset)),
		};
		await this.#options.save(position);
		await this.#take(handle, position);
	}

	async #keep({ generation, file, offset, head, saved }: Current): Promise<void> {
		if (saved?.offset === offset) return;
		await this.#options.save({ generation, file, offset, head });
		if (this.#current?.generation === generation) this.#current.saved = { offset, at: performance.now() };
	}

	/** Reads complete lines up to the end of the file. Returns true if the file was modified. */
	async #read(from: Current): Promise<boolean> {
		const { size, mtimeNs: changed } = await from.handle.stat({ bigint: true });
		if (changed === from.changed && Number(size) === from.offset) return false;
		if (Number(size) < from.offset || !(await hasHead(from.handle, from.head))) {
			await this.#begin(from.handle, 0);
			return true;
		}
		const isWritten = changed !== from.changed;
		const piece = Buffer.alloc(maxPieceSize);
		for (;;) {
			const { bytesRead } = await from.handle.read(piece, 0, piece.length, from.offset);
			const lines = cutLines(piece.subarray(0, bytesRead));
			if (lines.length === 0) break;
			if (!(await hasHead(from.handle, from.head))) {
				// The file was rewritten. If it still contains these bytes at this offset, they may be new and are read again from the start. Otherwise
				// they are old lines and must be reported now.
				if (!(await holdsAt(from.handle, from.offset, piece.subarray(0, bytesRead)))) await this.#tell(from, piece, lines);
				if (!this.#options.signal.aborted) await this.#begin(from.handle, 0);
				return true;
			}
			await this.#tell(from, piece, lines);
			if (this.#options.signal.aborted) return true;
			if (from.saved === undefined || performance.now() - from.saved.at > saveInterval) await this.#keep(from);
		}
		from.changed = changed;
		return isWritten;
	}

	/** Reports the lines of a chunk that was read at the current offset, until the run is aborted. */
	async #tell(from: Current, piece: Buffer, lines: readonly Line[]): Promise<void> {
		let start = 0;
		for (const { text, length } of lines) {
			if (this.#options.signal.aborted) break;
			await this.#options.onLine(text, `${from.generation}:${from.offset}`);
			from.beginning = extendBeginning(from.beginning, piece.subarray(start, start + length));
			from.offset += length;
			start += length;
		}
		from.head = toHead(from.beginning);
	}

	/** Switches to the file that replaced the current one, once the current one is no longer written. */
	async #changeOver(from: Current, isWritten: boolean): Promise<void> {
		const there = await unlessMissing(stat(this.#options.path, { bigint: true }));
		const isReplaced = there !== undefined && toFileId(there) !== from.file;
		this.#quiet = isReplaced && !isWritten ? this.#quiet + 1 : 0;
		if (this.#quiet < quietLooks) return;
		const next = await this.#options.files.open(this.#options.path);
		if (next === undefined) return;
		try {
			await this.#readUnfinished(from);
			await this.#begin(next, 0);
		} catch (error) {
			await next.close();
			throw error;
		}
		await from.handle.close();
	}

	/** Reports the incomplete last line of a replaced file, because it will not be completed. */
	async #readUnfinished(from: Current): Promise<void> {
		const { buffer, bytesRead } = await from.handle.read(Buffer.alloc(maxPieceSize), 0, maxPieceSize, from.offset);
		if (bytesRead > 0) await this.#options.onLine(toLine(buffer.subarray(0, bytesRead)).text, `${from.generation}:${from.offset}`);
	}
}

/** Finds the file of a position under its new name in the same directory (`app.log.1`, `app.log-20260101`). */
async function findRotated(path: string, position: Position): Promise<FileHandle | undefined> {
	const directory = dirname(path);
	const names = (await unlessMissing(readdir(directory))) ?? [];
	for (const name of names.filter((name) => name.startsWith(basename(path)))) {
		const candidate = join(directory, name);
		const found = await unlessMissing(stat(candidate, { bigint: true }));
		if (found === undefined || !found.isFile() || toFileId(found) !== position.file) continue;
		const handle = await unlessMissing(open(candidate, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
		if (handle === undefined) continue;
		let isIt = false;
		try {
			isIt = await isFileAt(handle, position);
		} finally {
			if (!isIt) await handle.close();
		}
		if (isIt) return handle;
	}
	return undefined;
}

/** Maximum bytes of a line. A longer line is reported in chunks of about this size. */
const maxPieceSize = 65_536;

const newline = 0x0a;

interface Line {
	/** Line without its line end. */
	readonly text: string;
	/** Bytes including the line end. */
	readonly length: number;
}

/** Returns the complete lines of a chunk. If a full chunk contains none, returns almost all of it as one line. */
function cutLines(piece: Buffer): readonly Line[] {
	const lines: Line[] = [];
	let start = 0;
	for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
		lines.push(toLine(piece.subarray(start, end + 1)));
		start = end + 1;
	}
	if (lines.length > 0 || piece.length < maxPieceSize) return lines;
	// Do not cut within a UTF-8 character.
	let end = piece.length - 1;
	while (end > piece.length - 4 && isContinued(piece[end])) end -= 1;
	return [toLine(piece.subarray(0, end))];
}

/** Converts a line that may include its line end. */
function toLine(bytes: Buffer): Line {
	return { text: bytes.toString("utf8").replace(/\r?\n$/, ""), length: bytes.length };
}

/**
 * Returns the offset of the incomplete last line of a file, or the file's size if all lines are complete. Searches only the last 64 KiB.
 */
async function findLineStart(handle: FileHandle): Promise<number> {
	const { size } = await handle.stat();
	const start = Math.max(0, size - maxPieceSize);
	const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
	const last = buffer.subarray(0, bytesRead).lastIndexOf(newline);
	return last === -1 ? start : start + last + 1;
}

function isContinued(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}
