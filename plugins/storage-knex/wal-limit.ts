import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { SvcError } from "../../core/contract/index.ts";

const pageBytes = 4_096;
/** Maximum limit of the log (64 MB). In a long log, a page that many writes change is copied into the database file only once. */
const maxLogPages = 16_000;
/** Minimum limit of the log (256 KB). */
const minLogPages = 64;
/** Free bytes of the volume above which free space is checked only once a second. With less, it is checked before each transaction. */
const ampleFreeBytes = 1_073_741_824;
const checkIntervalMs = 1_000;
/** Bytes that must remain free in addition to those that a transaction needs. */
const reserveBytes = 1_048_576;
/** Bytes that a row may add to the log in addition to its own data: the changed pages of its table and indexes. */
const logBytesPerRow = 24_576;

/** Connection that writes to the database. */
export interface LogConnection {
	exec(sql: string): void;
}

/** Size of the next transaction. */
export interface PlannedWrite {
	readonly rows: number;
	/** Characters of its values. */
	readonly size: number;
}

/** Returns the bytes of the write-ahead log of a database file; 0 if there is none. */
export function readLogBytes(file: string): number {
	return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Prevents the write-ahead log from filling its volume. Emptying the log copies it into the database file, which may need space to grow. So
 * a volume that the log has filled would remain full. The log is therefore limited to a quarter of the available space. A transaction is
 * rejected before it begins if it would leave less space than emptying the log may need.
 */
export class WalLimiter {
	readonly #connection: LogConnection;
	readonly #file: string;
	readonly #readFreeBytes: () => number;
	#limitPages = 0;
	/** Time of the next check of the volume, in milliseconds of `performance`. */
	#nextCheckAt = 0;
	/**
	 * Earliest time of the next checkpoint that is made to free space. A checkpoint is expensive, and repeating it at once would free nothing
	 * more.
	 */
	#nextCheckpointAt = 0;

	/** @param readFreeBytes returns the free bytes of the volume of `file`; tests replace it */
	constructor(connection: LogConnection, file: string, readFreeBytes = () => toFreeBytes(file)) {
		this.#connection = connection;
		this.#file = file;
		this.#readFreeBytes = readFreeBytes;
	}

	/** Throws `SVC_UNAVAILABLE` if the volume has too little space for a transaction. Called before each transaction. */
	prepareTransaction({ rows, size }: PlannedWrite): void {
		const now = performance.now();
		if (now < this.#nextCheckAt) return;
		const neededBytes = reserveBytes + rows * logBytesPerRow + 2 * size;
		let [freeBytes, logBytes] = [this.#readFreeBytes(), readLogBytes(this.#file)];
		this.#limitLog(freeBytes + logBytes);
		this.#nextCheckAt = freeBytes > ampleFreeBytes ? now + checkIntervalMs : now;
		if (freeBytes >= logBytes + neededBytes || now < this.#nextCheckpointAt) return this.#assertSpace(freeBytes, logBytes + neededBytes);
		this.#nextCheckpointAt = now + checkIntervalMs;
		this.#checkpoint();
		[freeBytes, logBytes] = [this.#readFreeBytes(), readLogBytes(this.#file)];
		this.#assertSpace(freeBytes, logBytes + neededBytes);
	}

	/** @param availableBytes bytes that are free or already belong to the log */
	#limitLog(availableBytes: number): void {
		const quarterPages = 2 ** Math.floor(Math.log2(Math.max(1, availableBytes / 4 / pageBytes)));
		const pages = Math.min(maxLogPages, Math.max(minLogPages, quarterPages));
		if (pages === this.#limitPages) return;
		this.#connection.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
		// Size to which a longer log is truncated when it restarts. Twice the limit, because overwriting a log is cheaper than extending it.
		this.#connection.exec(`PRAGMA journal_size_limit = ${2 * pages * pageBytes}`);
		this.#limitPages = pages;
	}

	#checkpoint(): void {
		try {
			this.#connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
		} catch {
			// Another program reads the file, or there is too little space, for which the transaction is then rejected.
		}
	}

	#assertSpace(freeBytes: number, neededBytes: number): void {
		if (freeBytes >= neededBytes) return;
		const toMegabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MB`;
		const space = `its volume has ${toMegabytes(freeBytes)} left, but the write needs ${toMegabytes(neededBytes)}`;
		throw new SvcError("SVC_UNAVAILABLE", `the database currently cannot be written: ${space}`);
	}
}

function toFreeBytes(file: string): number {
	const { bavail, bsize } = statfsSync(dirname(file));
	return bavail * bsize;
}
