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
	/** The position kept; undefined when this file was never watched. */
	load(): Promise<StoredPosition | undefined>;
	save(position: StoredPosition): Promise<void>;
	/** A line, and a key that it has whenever it is read. */
	onLine(line: string, key: string): Promise<void>;
	/** Lines may have been lost. */
	onGap(): void;
}

interface Current {
	readonly handle: FileHandle;
	readonly generation: string;
	readonly file: string;
	offset: number;
	head: Head;
	/** What the head is made of. */
	beginning: Buffer;
	/** When the file was last written to, as of the last look. */
	changed: bigint;
	/** What is kept. */
	saved: { readonly offset: number; readonly at: number } | undefined;
}

/** Looks without anything new in a file whose place another has taken, before that one is begun: its writer may change over late. */
const quietLooks = 3;
/** Milliseconds between two saves while lines come in; what is read again after a crash is known by its keys. */
const saveInterval = 5_000;

/** Follows one file over rotation and truncation. */
export class Tail {
	readonly #options: TailOptions;
	#current: Current | undefined;
	/** Looks in a row that found nothing new in a file whose place another has taken. */
	#quiet = 0;

	constructor(options: TailOptions) {
		this.#options = options;
	}

	/** Read what is new. */
	async look(): Promise<void> {
		if (this.#current === undefined) await this.#open();
		if (this.#current === undefined) return;
		const isWritten = await this.#read(this.#current);
		if (!this.#options.signal.aborted) await this.#changeOver(this.#current, isWritten);
		if (this.#current.saved === undefined || performance.now() - this.#current.saved.at > saveInterval) await this.#keep(this.#current);
	}

	/** Keep the position and close the file. */
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

	/** Open the file, or what has become of the one that was read last. */
	async #open(): Promise<void> {
		const position = await this.#options.load();
		const handle = await this.#options.files.open(this.#options.path);
		let rotated: FileHandle | undefined;
		try {
			if (position === undefined && handle === undefined) return await this.#options.save(null);
			// Of a file that was there before it was watched, only what comes counts.
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

	/** Begin with a file, under a new name for its lines, which is kept before the first of them is told. */
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

	/** Read whole lines to the end of the file. Whether it had been written to. */
	async #read(from: Current): Promise<boolean> {
		const { size, mtimeNs: changed } = await from.handle.stat({ bigint: true });
		if (changed === from.changed && Number(size) === from.offset) return false;
		if (Number(size) < from.offset || !(await hasHead(from.handle, from.head))) {
			await this.#begin(from.handle, 0);
			return true;
		}
		const isWritten = changed !== from.changed;
		const piece = Buffer.alloc(largestPiece);
		for (;;) {
			const { bytesRead } = await from.handle.read(piece, 0, piece.length, from.offset);
			const lines = cutLines(piece.subarray(0, bytesRead));
			if (lines.length === 0) break;
			if (!(await hasHead(from.handle, from.head))) {
				// It has been written anew: before the piece was read, which then is of the new text, or after.
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

	/** Tell lines of a piece that was read where the file has been read up to, until nobody listens any more. */
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

	/** Go over to the file that has taken the place of the one that is read, once nobody writes to that any more. */
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

	/** Nobody will end the last line of a file that was left. */
	async #readUnfinished(from: Current): Promise<void> {
		const { buffer, bytesRead } = await from.handle.read(Buffer.alloc(largestPiece), 0, largestPiece, from.offset);
		if (bytesRead > 0) await this.#options.onLine(toLine(buffer.subarray(0, bytesRead)).text, `${from.generation}:${from.offset}`);
	}
}

/** The file that was read up to a position, by its new name beside the old one (`app.log.1`, `app.log-20260101`). */
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

/** Most bytes of a line; what is longer comes in pieces of about this size. */
const largestPiece = 65_536;

const newline = 0x0a;

interface Line {
	/** Without its end. */
	readonly text: string;
	/** Bytes, with its end. */
	readonly length: number;
}

/** The lines of a piece of a file that are whole; of a piece that is full without one, all of it. */
function cutLines(piece: Buffer): readonly Line[] {
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
function toLine(bytes: Buffer): Line {
	return { text: bytes.toString("utf8").replace(/\r?\n$/, ""), length: bytes.length };
}

/** Where the last line of a file begins that is not finished; the file's size when all are. */
async function findLineStart(handle: FileHandle): Promise<number> {
	const { size } = await handle.stat();
	const start = Math.max(0, size - largestPiece);
	const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
	const last = buffer.subarray(0, bytesRead).lastIndexOf(newline);
	return last === -1 ? start : start + last + 1;
}

function isContinued(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}
