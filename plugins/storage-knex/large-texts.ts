import { mkdirSync, rmSync } from "node:fs";
import { type FileHandle, open, opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { bulkyBytesOf, type EntityKind, entityKinds, isSvcError, SvcError, toErrorMessage } from "../../core/contract/index.ts";
import { BlockPool, blockBytes } from "./block-pool.ts";
import { TextFile } from "./text-file.ts";
import { isTextReference, parseTextReference, type TextLocation, toTextReference } from "./text-reference.ts";
import { type Binding, type Field, needsEscape } from "./values.ts";

/** Minimum characters of a string, or bytes of a buffer, that is stored outside of its row. Shorter values are cheaper in the row. */
const minLargeLength = 16_384;
/** Unsynced bytes of all files, roughly, from which they are synced in the background. Limits what a commit must sync. */
const maxUnsyncedBytes = 16_777_216;
/** Milliseconds for which a file stays open after the last append. */
const idleTimeoutMs = 5_000;
/**
 * Minimum age of an unreferenced file to remove, in milliseconds since its last change. Rows that refer to a younger one may not be
 * committed yet.
 */
const minSweptAgeMs = 600_000;
/** Number of files that one step of a sweep checks. */
const maxSweptFiles = 200;
/** Groups that can be file names. Texts of other groups stay in their rows. */
const safeFileName = /^[\w-]{1,100}$/;

/** String that is returned for a large text whose bytes were lost in a power failure. A wrong checksum shows that they were lost. */
export const lostTextNotice = "\n[this part of the text was lost when the machine stopped]\n";

/** Result of a step of a sweep. */
export interface SweepResult {
	/** True if there are files that the sweep has not checked. */
	readonly hasMore: boolean;
	/** True if some unreferenced files are too young to be removed. Also true while the sweep has more files to check. */
	readonly hasYoungFiles: boolean;
}

/**
 * Storage of large texts, which are long values of bulky fields, in files next to the database. Large texts of one group, such as the
 * output of an execution, are appended to one file. The row contains a reference to the text. If the row is not committed, the text is
 * never read.
 *
 * A text is written to its file before its row is committed, and synced to the disk before a commit that waits for the disk. Otherwise an
 * acknowledged row could refer to a text that a power failure has destroyed.
 */
export class LargeTexts {
	readonly #directory: string;
	readonly #files = new Map<string, TextFile>();
	readonly #spare = new BlockPool();
	#timer: NodeJS.Timeout | undefined;
	#syncing: Promise<void> | undefined;
	#sweep: { readonly names: AsyncGenerator<string>; leavesYoung: boolean } | undefined;
	#hasDirectory = false;

	constructor(directory: string) {
		this.#directory = directory;
	}

	/**
	 * Returns a reference if the value must be stored outside of its row; the next `flush` writes the value. Otherwise returns the binding
	 * unchanged.
	 */
	put(kind: EntityKind, entity: Readonly<Record<string, unknown>>, [name]: Field, binding: Binding): Binding {
		const { bulky } = entityKinds[kind];
		if (bulky?.field !== name || typeof binding !== "string" || binding.length < minLargeLength) return binding;
		const group = entity[bulky.by];
		if (typeof group !== "string" || !safeFileName.test(group)) return binding;
		return this.#add(group, binding);
	}

	/**
	 * Returns a reference if the entity contains its large text as bytes. Otherwise returns undefined, and the caller must pass the text to
	 * `put`.
	 */
	putBytes(kind: EntityKind, entity: object): Binding | undefined {
		const bytes = bulkyBytesOf(entity);
		const { bulky } = entityKinds[kind];
		if (bytes === undefined || bulky === undefined || bytes.length < minLargeLength) return undefined;
		const group = (entity as Readonly<Record<string, unknown>>)[bulky.by];
		if (typeof group !== "string" || !safeFileName.test(group) || needsEscape(bytes)) return undefined;
		return this.#add(group, bytes);
	}

	#add(group: string, text: string | Uint8Array): Binding {
		const { bytes, offset } = this.#openFile(group).add(text);
		return toTextReference({ group, offset, length: bytes.length, checksum: crc32(bytes) });
	}

	/**
	 * Writes all pending texts to their files. Returns undefined if there are none. Rejects with `SVC_UNAVAILABLE` if the operating system
	 * fails to write them.
	 */
	flush(): Promise<void> | undefined {
		const pendingFiles = [...this.#files.values()].filter(({ hasPendingTexts }) => hasPendingTexts);
		if (pendingFiles.length === 0) return undefined;
		return Promise.all(pendingFiles.map((file) => file.flush())).then(
			() => this.#syncIfManyUnsynced(),
			(error: unknown) => Promise.reject(toUnavailable(error)),
		);
	}

	/** Syncs all texts written so far to the disk. Returns undefined if no file is open, which is the usual case. */
	sync(): Promise<void> | undefined {
		if (this.#files.size === 0 && this.#syncing === undefined) return undefined;
		return this.#syncAll();
	}

	async #syncAll(): Promise<void> {
		await this.#syncing;
		const files = [...this.#files.values()].filter(({ unsyncedBytes: unsynced }) => unsynced > 0);
		await Promise.all(files.map((file) => file.sync()));
	}

	/** Returns the rows with the references in the column replaced by their large texts. */
	async load(rows: readonly (readonly Binding[])[], column: number): Promise<readonly (readonly Binding[])[]> {
		if (column < 0 || !rows.some((row) => isTextReference(row[column]))) return rows;
		const reader = new TextReader(this.#directory, this.#spare);
		try {
			const loaded: (readonly Binding[])[] = [];
			for (const row of rows) {
				const location = parseTextReference(row[column]);
				loaded.push(location === undefined ? row : row.with(column, await reader.read(location)));
			}
			return loaded;
		} finally {
			await reader.close();
		}
	}

	/** Checks the next files, and removes those that no row refers to. Continues where the last call stopped. */
	async sweep(isUsed: (group: string) => boolean): Promise<SweepResult> {
		this.#sweep ??= { names: listNames(this.#directory), leavesYoung: false };
		const sweep = this.#sweep;
		for (let count = 0; count < maxSweptFiles; count += 1) {
			const { done, value: group } = await sweep.names.next();
			if (done) {
				this.#sweep = undefined;
				return { hasMore: false, hasYoungFiles: sweep.leavesYoung };
			}
			const path = join(this.#directory, group);
			const changedAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now();
			// There must be no `await` from here to the removal. Otherwise a text could be appended to the file in between, and would be lost.
			if (isUsed(group)) continue;
			if (Date.now() - changedAt > minSweptAgeMs && !this.#files.has(group)) rmSync(path, { force: true });
			else sweep.leavesYoung = true;
		}
		return { hasMore: true, hasYoungFiles: true };
	}

	async stop(): Promise<void> {
		clearInterval(this.#timer);
		await Promise.allSettled([...this.#files.values()].map((file) => file.flush()));
		try {
			await this.sync();
		} finally {
			for (const file of this.#files.values()) file.close();
			this.#files.clear();
		}
	}

	#openFile(group: string): TextFile {
		const openFile = this.#files.get(group);
		if (openFile !== undefined) return openFile;
		try {
			if (!this.#hasDirectory) mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
			this.#hasDirectory = true;
			const file = new TextFile(join(this.#directory, group), this.#spare);
			this.#files.set(group, file);
			this.#timer ??= setInterval(() => void this.#closeIdle(), idleTimeoutMs).unref();
			return file;
		} catch (error) {
			this.#hasDirectory = false;
			throw toUnavailable(error);
		}
	}

	/** Syncs many bytes in the background, so that the next commit that waits for the disk need not wait long. */
	#syncIfManyUnsynced(): void {
		let unsyncedBytes = 0;
		for (const file of this.#files.values()) unsyncedBytes += file.unsyncedBytes;
		if (unsyncedBytes < maxUnsyncedBytes || this.#syncing !== undefined) return;
		// Ignore errors here: the next commit that waits for the disk syncs again, and fails if that sync fails.
		this.#syncing = this.#syncAll()
			.catch(() => {})
			.finally(() => {
				this.#syncing = undefined;
			});
	}

	async #closeIdle(): Promise<void> {
		for (const [group, file] of this.#files) {
			if (performance.now() - file.lastAddedAt < idleTimeoutMs) continue;
			try {
				await file.sync();
			} catch {
				continue;
			}
			if (file.hasPendingTexts || file.unsyncedBytes > 0 || performance.now() - file.lastAddedAt < idleTimeoutMs) continue;
			this.#files.delete(group);
			file.close();
		}
	}
}

/** Reads large texts. Keeps a file open for consecutive texts of the same group. */
class TextReader {
	readonly #directory: string;
	readonly #spare: BlockPool;
	#group: string | undefined;
	#file: FileHandle | undefined;
	#block: Buffer | undefined;

	constructor(directory: string, spare: BlockPool) {
		this.#directory = directory;
		this.#spare = spare;
	}

	async read({ group, offset, length, checksum }: TextLocation): Promise<string> {
		const file = await this.#open(group);
		if (file === undefined) return lostTextNotice;
		const bytes = this.#toBuffer(length);
		for (let readLength = 0; readLength < length; ) {
			const { bytesRead } = await file.read(bytes, readLength, length - readLength, offset + readLength);
			if (bytesRead === 0) return lostTextNotice;
			readLength += bytesRead;
		}
		return crc32(bytes) === checksum ? bytes.toString() : lostTextNotice;
	}

	async close(): Promise<void> {
		if (this.#block !== undefined) this.#spare.release(this.#block);
		this.#block = undefined;
		await this.#closeFile();
	}

	/** Returns a buffer of this length. All reads share one block, because each text is converted to a string before the next is read. */
	#toBuffer(length: number): Buffer {
		if (length > blockBytes) return Buffer.allocUnsafe(length);
		this.#block ??= this.#spare.take();
		return this.#block.subarray(0, length);
	}

	async #closeFile(): Promise<void> {
		await this.#file?.close();
		this.#file = undefined;
	}

	async #open(group: string): Promise<FileHandle | undefined> {
		if (this.#group === group) return this.#file;
		await this.#closeFile();
		this.#group = group;
		try {
			this.#file = await open(join(this.#directory, group), "r");
		} catch (error) {
			if (!isNotFound(error)) throw toUnavailable(error);
		}
		return this.#file;
	}
}

/** Lists the names of the files. Yields nothing if the directory does not exist. */
async function* listNames(directory: string): AsyncGenerator<string> {
	try {
		for await (const { name } of await opendir(directory)) yield name;
	} catch (error) {
		if (!isNotFound(error)) throw error;
	}
}

function isNotFound(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function toUnavailable(error: unknown): unknown {
	if (isSvcError(error)) return error;
	return new SvcError("SVC_UNAVAILABLE", `large values currently cannot be stored: ${toErrorMessage(error)}`, { cause: error });
}
