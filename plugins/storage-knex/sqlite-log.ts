import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { SvcError } from "../../core/contract/index.ts";

const pageBytes = 4_096;
/** 64 MB: pages that many writes change, such as the ends of indexes, are copied into the file once for all of these writes. */
const maxLogPages = 16_000;
/** 256 KB. */
const minLogPages = 64;
/** With more room than this the volume is looked at once in `interval`, with less before each transaction. */
const ampleBytes = 1_073_741_824;
/** Milliseconds. */
const interval = 1_000;
/** Bytes that stay free besides what a transaction needs. */
const reserveBytes = 1_048_576;
/** Bytes that a row may add to the log besides its own text: the changed pages of its table and indexes. */
const rowBytes = 24_576;

/** The connection that writes. */
export interface LogConnection {
	exec(sql: string): void;
}

/** Size of the next transaction. */
export interface PlannedWrite {
	readonly rows: number;
	/** Characters of its values. */
	readonly size: number;
}

/** Bytes of the write-ahead log of a database file; 0 if there is none. */
export function readLogBytes(file: string): number {
	return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Keeps the write-ahead log from filling its volume. A full log can only be emptied into the database file, which needs room to grow, so a
 * volume that the log has filled would stay full: the log is bounded by a quarter of the room there is, and a transaction is refused before
 * it begins where less room would be left than emptying the log may need.
 */
export class BoundedLog {
	readonly #connection: LogConnection;
	readonly #file: string;
	readonly #readFreeBytes: () => number;
	#pages = 0;
	/** On the monotonic clock, milliseconds: when the volume is looked at again. */
	#nextLook = 0;
	/** When the log may be emptied again to make room: that costs much, and what does not help now will not help at once. */
	#nextCheckpoint = 0;

	/** @param readFreeBytes free bytes of the volume that `file` is on; tests replace it */
	constructor(connection: LogConnection, file: string, readFreeBytes = () => toFreeBytes(file)) {
		this.#connection = connection;
		this.#file = file;
		this.#readFreeBytes = readFreeBytes;
	}

	/** Called before each transaction. Throws `SVC_UNAVAILABLE` if the volume has too little room for it. */
	prepare({ rows, size }: PlannedWrite): void {
		const now = performance.now();
		if (now < this.#nextLook) return;
		const needed = reserveBytes + rows * rowBytes + 2 * size;
		let [free, log] = [this.#readFreeBytes(), readLogBytes(this.#file)];
		this.#bound(free + log);
		this.#nextLook = free > ampleBytes ? now + interval : now;
		if (free >= log + needed || now < this.#nextCheckpoint) return this.#assertRoom(free, log + needed);
		this.#nextCheckpoint = now + interval;
		this.#checkpoint();
		[free, log] = [this.#readFreeBytes(), readLogBytes(this.#file)];
		this.#assertRoom(free, log + needed);
	}

	/** @param room bytes that are free or already belong to the log */
	#bound(room: number): void {
		const wanted = 2 ** Math.floor(Math.log2(Math.max(1, room / 4 / pageBytes)));
		const pages = Math.min(maxLogPages, Math.max(minLogPages, wanted));
		if (pages === this.#pages) return;
		this.#connection.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
		// A log that had become longer is cut to this when it begins anew. Not to its bound itself: writing over a log is cheaper than growing it.
		this.#connection.exec(`PRAGMA journal_size_limit = ${2 * pages * pageBytes}`);
		this.#pages = pages;
	}

	#checkpoint(): void {
		try {
			this.#connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
		} catch {
			// Another program reads, or there is no room for it: the transaction is refused.
		}
	}

	#assertRoom(free: number, needed: number): void {
		if (free >= needed) return;
		const toMegabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MB`;
		const message = `the database cannot be written now: its volume has ${toMegabytes(free)} left, and the write needs ${toMegabytes(needed)}`;
		throw new SvcError("SVC_UNAVAILABLE", message);
	}
}

function toFreeBytes(file: string): number {
	const { bavail, bsize } = statfsSync(dirname(file));
	return bavail * bsize;
}
