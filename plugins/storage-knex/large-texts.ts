import { mkdirSync, rmSync } from "node:fs";
import { type FileHandle, open, opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { type EntityKind, entityKinds, isSvcError, SvcError, toBulkyBytes, toErrorMessage } from "../../core/contract/index.ts";
import { blockSize, SpareBlocks } from "./spare-blocks.ts";
import { TextFile } from "./text-file.ts";
import { isTextPlace, type TextPlace, toTextPlace, toTextReference } from "./text-reference.ts";
import { type Binding, type Field, needsEscape } from "./values.ts";

/** Characters from which a text lies outside: shorter ones cost less in their row. */
const shortest = 16_384;
/** Bytes of all files that a loss of power may take at most before they are brought to the disk in the background, roughly. */
const mostUnsynced = 16_777_216;
/** Milliseconds after the last text that a file stays open. */
const idleTime = 5_000;
/** Milliseconds since its last change before a file that no row refers to is removed: its rows may be on their way. */
const sweptAge = 600_000;
/** Files that one step of a sweep looks at. */
const sweptAtOnce = 200;
/** Names of files: what they are written together by. */
const safeName = /^[\w-]{1,100}$/;

/** What stands in the place of a text whose bytes went with the power: nothing else may be taken for it. */
export const lostText = "\n[this part of the text was lost when the machine stopped]\n";

/** What a step of a sweep has come to. */
export interface Sweep {
	/** Whether there are files that it has not looked at. */
	readonly hasMore: boolean;
	/** Whether some that nothing refers to are too young to be removed. */
	readonly leavesYoung: boolean;
}

/**
 * Large texts of bulky fields, in files beside the database: one file for all that belongs together, appended to. The row holds where the
 * text lies, so that what was not committed does not exist. A text is in its file before its row is committed, and on the disk before a
 * commit that waits for it.
 */
export class LargeTexts {
	readonly #directory: string;
	readonly #files = new Map<string, TextFile>();
	readonly #spare = new SpareBlocks();
	#timer: NodeJS.Timeout | undefined;
	#syncing: Promise<void> | undefined;
	#sweep: { readonly names: AsyncGenerator<string>; leavesYoung: boolean } | undefined;
	#hasDirectory = false;

	constructor(directory: string) {
		this.#directory = directory;
	}

	/** What the column is to hold instead of a text that belongs outside, which is written by the next `flush`; else the same. */
	put(kind: EntityKind, entity: Readonly<Record<string, unknown>>, [name]: Field, binding: Binding): Binding {
		const { bulky } = entityKinds[kind];
		if (bulky?.field !== name || typeof binding !== "string" || binding.length < shortest) return binding;
		const group = entity[bulky.by];
		if (typeof group !== "string" || !safeName.test(group)) return binding;
		return this.#add(group, binding);
	}

	/** The same for a text that is given as bytes; undefined where it must be put as a text. */
	putBytes(kind: EntityKind, entity: object): Binding | undefined {
		const bytes = toBulkyBytes(entity);
		const { bulky } = entityKinds[kind];
		if (bytes === undefined || bulky === undefined || bytes.length < shortest) return undefined;
		const group = (entity as Readonly<Record<string, unknown>>)[bulky.by];
		if (typeof group !== "string" || !safeName.test(group) || needsEscape(bytes)) return undefined;
		return this.#add(group, bytes);
	}

	#add(group: string, text: string | Uint8Array): Binding {
		const { bytes, place } = this.#use(group).add(text);
		return toTextReference({ group, offset: place, length: bytes.length, checksum: crc32(bytes) });
	}

	/** Resolves when all texts are in their files; undefined where none waits. `SVC_UNAVAILABLE` where the system does not take them. */
	flush(): Promise<void> | undefined {
		const waiting = [...this.#files.values()].filter(({ isWaiting }) => isWaiting);
		if (waiting.length === 0) return undefined;
		return Promise.all(waiting.map((file) => file.flush())).then(
			() => this.#syncSometimes(),
			(error: unknown) => Promise.reject(toOutage(error)),
		);
	}

	/** Resolves when all that was written before is on the disk; undefined where no file is open, as most have no large texts. */
	sync(): Promise<void> | undefined {
		if (this.#files.size === 0 && this.#syncing === undefined) return undefined;
		return this.#syncAll();
	}

	async #syncAll(): Promise<void> {
		await this.#syncing;
		const files = [...this.#files.values()].filter(({ unsynced }) => unsynced > 0);
		await Promise.all(files.map((file) => file.sync()));
	}

	/** The rows with the texts that some of them only refer to. */
	async load(rows: readonly (readonly Binding[])[], column: number): Promise<readonly (readonly Binding[])[]> {
		if (column < 0 || !rows.some((row) => isTextPlace(row[column]))) return rows;
		const reader = new TextReader(this.#directory, this.#spare);
		try {
			const loaded: (readonly Binding[])[] = [];
			for (const row of rows) {
				const place = toTextPlace(row[column]);
				loaded.push(place === undefined ? row : row.with(column, await reader.read(place)));
			}
			return loaded;
		} finally {
			await reader.close();
		}
	}

	/** Remove some files of which nothing is needed. */
	async sweep(isUsed: (group: string) => boolean): Promise<Sweep> {
		this.#sweep ??= { names: listNames(this.#directory), leavesYoung: false };
		const sweep = this.#sweep;
		for (let count = 0; count < sweptAtOnce; count += 1) {
			const { done, value: group } = await sweep.names.next();
			if (done) {
				this.#sweep = undefined;
				return { hasMore: false, leavesYoung: sweep.leavesYoung };
			}
			const path = join(this.#directory, group);
			const changed = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now();
			// From here to the removal at one go: nobody may begin to write to it meanwhile.
			if (isUsed(group)) continue;
			if (Date.now() - changed > sweptAge && !this.#files.has(group)) rmSync(path, { force: true });
			else sweep.leavesYoung = true;
		}
		return { hasMore: true, leavesYoung: true };
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

	#use(group: string): TextFile {
		const known = this.#files.get(group);
		if (known !== undefined) return known;
		try {
			if (!this.#hasDirectory) mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
			this.#hasDirectory = true;
			const file = new TextFile(join(this.#directory, group), this.#spare);
			this.#files.set(group, file);
			this.#timer ??= setInterval(() => void this.#closeIdle(), idleTime).unref();
			return file;
		} catch (error) {
			this.#hasDirectory = false;
			throw toOutage(error);
		}
	}

	/** In the background, so that no commit that waits for the disk has much to wait for. */
	#syncSometimes(): void {
		let unsynced = 0;
		for (const file of this.#files.values()) unsynced += file.unsynced;
		if (unsynced < mostUnsynced || this.#syncing !== undefined) return;
		// What could not be brought to the disk is tried again by the next commit that needs it, which fails then.
		this.#syncing = this.#syncAll()
			.catch(() => {})
			.finally(() => {
				this.#syncing = undefined;
			});
	}

	async #closeIdle(): Promise<void> {
		for (const [group, file] of this.#files) {
			if (performance.now() - file.usedAt < idleTime) continue;
			try {
				await file.sync();
			} catch {
				continue;
			}
			if (file.isWaiting || file.unsynced > 0 || performance.now() - file.usedAt < idleTime) continue;
			this.#files.delete(group);
			file.close();
		}
	}
}

/** Reads texts, those that follow one another from one opened file. */
class TextReader {
	readonly #directory: string;
	readonly #spare: SpareBlocks;
	#group: string | undefined;
	#file: FileHandle | undefined;
	#block: Buffer | undefined;

	constructor(directory: string, spare: SpareBlocks) {
		this.#directory = directory;
		this.#spare = spare;
	}

	async read({ group, offset, length, checksum }: TextPlace): Promise<string> {
		const file = await this.#open(group);
		if (file === undefined) return lostText;
		const bytes = this.#toRoom(length);
		for (let done = 0; done < length; ) {
			const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
			if (bytesRead === 0) return lostText;
			done += bytesRead;
		}
		return crc32(bytes) === checksum ? bytes.toString() : lostText;
	}

	async close(): Promise<void> {
		if (this.#block !== undefined) this.#spare.give(this.#block);
		this.#block = undefined;
		await this.#closeFile();
	}

	/** The same for each text, which is a string of its own as soon as it is read. */
	#toRoom(length: number): Buffer {
		if (length > blockSize) return Buffer.allocUnsafe(length);
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
			if (!isAbsent(error)) throw toOutage(error);
		}
		return this.#file;
	}
}

/** Names of the files; none where there is no directory. */
async function* listNames(directory: string): AsyncGenerator<string> {
	try {
		for await (const { name } of await opendir(directory)) yield name;
	} catch (error) {
		if (!isAbsent(error)) throw error;
	}
}

function isAbsent(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function toOutage(error: unknown): unknown {
	if (isSvcError(error)) return error;
	return new SvcError("SVC_UNAVAILABLE", `large texts cannot be kept now: ${toErrorMessage(error)}`, { cause: error });
}
