import { closeSync, constants, fdatasync, fstatSync, openSync, writev } from "node:fs";
import { promisify } from "node:util";
import { type BlockPool, blockBytes } from "./block-pool.ts";

const writeAll = promisify(writev);
const syncData = promisify(fdatasync);

/** Maximum number of large texts that one system call writes. */
const maxTextsPerCall = 512;

/** Memory block that is being filled with texts. */
interface FillingBlock {
	readonly bytes: Buffer;
	usedBytes: number;
}

/** File to which large texts are appended. It remains open while more texts are expected. */
export class TextFile {
	readonly #descriptor: number;
	/** Offset of the next text. The file may end with bytes that a killed process has written and to which no row refers. */
	#end: number;
	/** Texts that were added but not yet written. */
	#pending: Uint8Array[] = [];
	/** Offset of the first pending text. */
	#pendingOffset = 0;
	/** Settles when the last write has ended. */
	#writing: Promise<void> = Promise.resolve();
	/** Block that holds pending texts. */
	#block: FillingBlock | undefined;
	readonly #spare: BlockPool;
	/** Total bytes whose write has begun, whose write has ended, and that are on the disk. */
	#submittedBytes = 0;
	#writtenBytes = 0;
	#syncedBytes = 0;
	/** Time at which the last text was added, from `performance.now()`. */
	lastAddedAt = 0;

	/**
	 * Opens the file synchronously, because the offset must be available before the row with the reference is built.
	 *
	 * @param spare pool of blocks that all files share
	 */
	constructor(path: string, spare: BlockPool) {
		this.#spare = spare;
		this.#descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
		this.#end = fstatSync(this.#descriptor).size;
	}

	/** Number of bytes that a power failure would destroy. */
	get unsyncedBytes(): number {
		return this.#submittedBytes - this.#syncedBytes;
	}

	/** True if a text was added and is not yet being written. */
	get hasPendingTexts(): boolean {
		return this.#pending.length > 0;
	}

	/**
	 * Adds a text. Returns its bytes and their offset in the file, to which the next `flush` writes them. Bytes are not copied, so the caller
	 * must not change them until `flush` has resolved.
	 */
	add(text: string | Uint8Array): { readonly bytes: Uint8Array; readonly offset: number } {
		const bytes = typeof text === "string" ? this.#toBytes(text) : text;
		const offset = this.#end;
		if (this.#pending.length === 0) this.#pendingOffset = offset;
		this.#pending.push(bytes);
		this.#end += bytes.length;
		this.lastAddedAt = performance.now();
		return { bytes, offset };
	}

	/** Writes the pending texts. Rejects if the operating system fails to write them; there is then no text at their offsets. */
	flush(): Promise<void> {
		if (this.#pending.length === 0) return this.#writing;
		const texts = this.#pending;
		const offset = this.#pendingOffset;
		const block = this.#block;
		this.#pending = [];
		this.#block = undefined;
		// The failure of an earlier write is reported only to its own callers.
		const writing = this.#writing.catch(() => {}).then(() => this.#write(texts, offset));
		this.#writing = writing;
		const release = () => {
			if (block !== undefined) this.#spare.release(block.bytes);
		};
		writing.then(release, release);
		return writing;
	}

	#toBytes(text: string): Buffer {
		const length = Buffer.byteLength(text);
		if (length > blockBytes) return Buffer.from(text);
		if (this.#block === undefined || this.#block.usedBytes + length > blockBytes) {
			this.#block = { bytes: this.#spare.take(), usedBytes: 0 };
		}
		const bytes = this.#block.bytes.subarray(this.#block.usedBytes, this.#block.usedBytes + length);
		// If there are as many bytes as characters, all are ASCII, and latin1 copies them without encoding.
		bytes.write(text, length === text.length ? "latin1" : "utf8");
		this.#block.usedBytes += length;
		return bytes;
	}

	/**
	 * Syncs all bytes written so far to the disk. Bytes whose write has not ended are synced by the next call. Concurrent calls are safe,
	 * because each records only the bytes that were written before it began.
	 */
	async sync(): Promise<void> {
		const writtenBytes = this.#writtenBytes;
		if (writtenBytes === this.#syncedBytes) return;
		await syncData(this.#descriptor);
		this.#syncedBytes = Math.max(this.#syncedBytes, writtenBytes);
	}

	close(): void {
		closeSync(this.#descriptor);
	}

	/** Writes the buffers without joining them, which would only create more garbage. */
	async #write(texts: readonly Uint8Array[], offset: number): Promise<void> {
		const length = texts.reduce((sum, text) => sum + text.length, 0);
		this.#submittedBytes += length;
		let remaining = texts;
		try {
			for (let position = offset; remaining.length > 0; ) {
				const { bytesWritten } = await writeAll(this.#descriptor, remaining.slice(0, maxTextsPerCall), position);
				position += bytesWritten;
				remaining = dropBytes(remaining, bytesWritten);
			}
		} finally {
			// After a failure, also counts bytes that were not written, because no row refers to them.
			this.#writtenBytes += length;
		}
	}
}

/** Returns the buffers without their first bytes, which were written. */
function dropBytes(texts: readonly Uint8Array[], byteCount: number): readonly Uint8Array[] {
	let remainingBytes = byteCount;
	for (const [index, text] of texts.entries()) {
		if (remainingBytes < text.length) return [text.subarray(remainingBytes), ...texts.slice(index + 1)];
		remainingBytes -= text.length;
	}
	return [];
}
