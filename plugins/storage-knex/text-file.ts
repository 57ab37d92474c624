import { closeSync, constants, fdatasync, fstatSync, openSync, writev } from "node:fs";
import { promisify } from "node:util";
import { blockSize, type SpareBlocks } from "./spare-blocks.ts";

const writeAll = promisify(writev);
const syncData = promisify(fdatasync);

/** Texts that one call of the system takes. */
const mostAtOnce = 512;

interface Block {
	readonly bytes: Buffer;
	used: number;
}

/** A file that texts are appended to, open for as long as more are expected. */
export class TextFile {
	readonly #descriptor: number;
	/** Where the next text begins. What a process that was killed has left at the end stays there, and nobody refers to it. */
	#end: number;
	#waiting: Uint8Array[] = [];
	#waitingFrom = 0;
	#writing: Promise<void> = Promise.resolve();
	/** What the waiting ones lie in. */
	#block: Block | undefined;
	readonly #spare: SpareBlocks;
	/** Bytes that the system was ever given to write, that it has done with, and that are on the disk. */
	#given = 0;
	#written = 0;
	#synced = 0;
	/** When a text was last added, in milliseconds of `performance`. */
	usedAt = 0;

	/**
	 * Opened at once: the place of a text must be known before the row that refers to it is built.
	 *
	 * @param spare shared by files
	 */
	constructor(path: string, spare: SpareBlocks) {
		this.#spare = spare;
		this.#descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
		this.#end = fstatSync(this.#descriptor).size;
	}

	/** Bytes that a loss of power would take. */
	get unsynced(): number {
		return this.#given - this.#synced;
	}

	/** Whether something was added and not yet written. */
	get isWaiting(): boolean {
		return this.#waiting.length > 0;
	}

	/**
	 * The bytes of a text, and where they will be; they are there once `flush` has resolved. What is given as bytes is written from where it
	 * lies.
	 */
	add(text: string | Uint8Array): { readonly bytes: Uint8Array; readonly place: number } {
		const bytes = typeof text === "string" ? this.#toBytes(text) : text;
		const place = this.#end;
		if (this.#waiting.length === 0) this.#waitingFrom = place;
		this.#waiting.push(bytes);
		this.#end += bytes.length;
		this.usedAt = performance.now();
		return { bytes, place };
	}

	/** Write what was added. Rejects where the system does not take it; what was added is not there then. */
	flush(): Promise<void> {
		if (this.#waiting.length === 0) return this.#writing;
		const texts = this.#waiting;
		const from = this.#waitingFrom;
		const block = this.#block;
		this.#waiting = [];
		this.#block = undefined;
		// One that has failed is the matter of whoever waited for it.
		const written = this.#writing.catch(() => {}).then(() => this.#write(texts, from));
		this.#writing = written;
		const release = () => {
			if (block !== undefined) this.#spare.give(block.bytes);
		};
		written.then(release, release);
		return written;
	}

	#toBytes(text: string): Buffer {
		const length = Buffer.byteLength(text);
		if (length > blockSize) return Buffer.from(text);
		if (this.#block === undefined || this.#block.used + length > blockSize) {
			this.#block = { bytes: this.#spare.take(), used: 0 };
		}
		const bytes = this.#block.bytes.subarray(this.#block.used, this.#block.used + length);
		// As many bytes as characters are one byte each, which are copied as they are.
		bytes.write(text, length === text.length ? "latin1" : "utf8");
		this.#block.used += length;
		return bytes;
	}

	/**
	 * Resolves when all that was written before is on the disk. What is still being written need not be: the next one brings it there. Several
	 * at once each know what they have brought there.
	 */
	async sync(): Promise<void> {
		const written = this.#written;
		if (written === this.#synced) return;
		await syncData(this.#descriptor);
		this.#synced = Math.max(this.#synced, written);
	}

	close(): void {
		closeSync(this.#descriptor);
	}

	/** As they are: to put them together would only make more to collect. */
	async #write(texts: readonly Uint8Array[], from: number): Promise<void> {
		const length = texts.reduce((sum, text) => sum + text.length, 0);
		this.#given += length;
		let left = texts;
		try {
			for (let place = from; left.length > 0; ) {
				const { bytesWritten } = await writeAll(this.#descriptor, left.slice(0, mostAtOnce), place);
				place += bytesWritten;
				left = behind(left, bytesWritten);
			}
		} finally {
			// Also what the system did not take: nobody refers to that.
			this.#written += length;
		}
	}
}

/** What is left of texts of which so many bytes are written. */
function behind(texts: readonly Uint8Array[], written: number): readonly Uint8Array[] {
	let rest = written;
	for (const [index, text] of texts.entries()) {
		if (rest < text.length) return [text.subarray(rest), ...texts.slice(index + 1)];
		rest -= text.length;
	}
	return [];
}
