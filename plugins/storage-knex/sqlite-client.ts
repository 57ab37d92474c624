import { constants } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type PluginContext, SvcError, toErrorMessage } from "../../core/contract/index.ts";
import type { Database, DatabaseClient, Dialect, Statement } from "./database-client.ts";
import { LargeTexts } from "./large-texts.ts";
import { createKnex, importLibsql, type LibsqlConstructor, type LibsqlDatabase } from "./libsql.ts";
import { migrate, planMigrations } from "./migrate.ts";
import { backUp } from "./sqlite-backup.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { isBusy } from "./sqlite-errors.ts";
import {
	assertServiceDatabase,
	createPrivateFile,
	exists,
	isFromNewerVersion,
	toOpeningError,
	toReadOnlyAddress,
} from "./sqlite-file-checks.ts";
import { SqliteGroupCommit } from "./sqlite-group-commit.ts";
import { isDatabaseLocked, lockDatabase, toLockFile } from "./sqlite-lock.ts";
import { restore } from "./sqlite-restore.ts";
import { sweepTexts, toTextDirectory } from "./sqlite-texts.ts";
import { readLogBytes, WalLimiter } from "./wal-limit.ts";

export interface SqliteOptions {
	readonly client: "sqlite";
	/** Path of the database file, relative to the working directory. Default `svc.db` in the data directory. */
	readonly file?: string;
	/** When a write reaches the disk: `FULL` before it is acknowledged, `NORMAL` shortly afterwards. Default `FULL`. */
	readonly synchronous?: "FULL" | "NORMAL";
}

const dialect: Dialect = {
	inList: "?? in (select value from json_each(?))",
	contains: "instr(??, ?) > 0",
	toList: (values) => JSON.stringify(values),
	append: "json_insert(:column:, '$[#]', json(:value))",
	order: { asc: "?? asc", desc: "?? desc" },
	locksRows: false,
	failIfUnchanged: (sql) => sql,
};

export function createSqliteDatabase(options: SqliteOptions): Database {
	return {
		capabilities: { shared: false, durable: true },
		check: (context) => checkSqlite(options, context),
		open: (context) => openSqlite(options, context),
		plan: (context) => planSqlite(options, context),
		openReadOnly: (context) => openSqliteReadOnly(options, context),
		backup: async (context, target) => backUp(await importLibsql(), toFile(checkOptions(options), context), target),
		restore: async (context, source) => restore(await importLibsql(), toFile(checkOptions(options), context), source),
		isInUse: async (context) => isDatabaseLocked(await importLibsql(), toFile(options, context)),
		location: (context) => toFile(checkOptions(options), context),
	};
}

async function checkSqlite(options: SqliteOptions, context: PluginContext): Promise<void> {
	const file = toFile(checkOptions(options), context);
	await importLibsql();
	await assertWritable(dirname(file)).catch((cause: unknown) => {
		throw new SvcError("SVC_CONFIG", `storage.file: database "${file}" cannot be written: ${toErrorMessage(cause)}`, { cause });
	});
}

/** Throws if files cannot be created in the directory. If it does not exist, checks the directory in which it would be created. */
async function assertWritable(directory: string): Promise<void> {
	try {
		if (!(await stat(directory)).isDirectory()) throw new Error(`"${directory}" is not a directory`);
		await access(directory, constants.W_OK | constants.X_OK);
	} catch (error) {
		const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
		if (!isMissing || dirname(directory) === directory) throw error;
		await assertWritable(dirname(directory));
	}
}

async function openSqlite(options: SqliteOptions, context: PluginContext): Promise<DatabaseClient> {
	const { synchronous = "FULL" } = checkOptions(options);
	const file = toFile(options, context);
	const Database = await importLibsql();
	try {
		// Check this before creating any file: a file of another program, or of a newer version, must not be changed.
		await assertServiceDatabase(Database, file);
		// `planSqlite` throws an error with the name of the unknown migration.
		if (await isFromNewerVersion(Database, file)) await planSqlite(options, context);
		await createFile(file);
		const unlock = lockDatabase(Database, file);
		try {
			return await openLocked({ Database, file, durable: synchronous === "FULL", unlock, context });
		} catch (error) {
			unlock();
			throw error;
		}
	} catch (error) {
		throw toOpeningError(error, file);
	}
}

/** Returns the names of the pending migrations. Only reads: does not create a missing file. */
async function planSqlite(options: SqliteOptions, context: PluginContext): Promise<readonly string[]> {
	const file = toFile(checkOptions(options), context);
	const Database = await importLibsql();
	await assertServiceDatabase(Database, file);
	const address = (await exists(file)) ? await toReadOnlyAddress(file) : ":memory:";
	const { knex, stop } = await createKnex(file, () => new Database(address, { timeout: 1_000 }), context.logger);
	try {
		return await planMigrations(knex, file);
	} catch (error) {
		throw toOpeningError(error, file);
	} finally {
		await stop();
	}
}

async function openSqliteReadOnly(options: SqliteOptions, context: PluginContext): Promise<DatabaseClient> {
	const file = toFile(checkOptions(options), context);
	const Database = await importLibsql();
	const address = await toReadOnlyAddress(file);
	const { knex, takeConnection, stop } = await createKnex(file, () => new Database(address, { timeout: 1_000 }), context.logger);
	try {
		const reader = new SqliteConnection(await takeConnection());
		return {
			knex,
			dialect,
			largeTexts: new LargeTexts(toTextDirectory(file)),
			read: (step) => reader.read(step),
			write: () => Promise.reject(new SvcError("SVC_UNAVAILABLE", `database "${file}" is open for reading only`)),
			compact: async () => false,
			stop,
		};
	} catch (error) {
		await stop();
		throw toOpeningError(error, file);
	}
}

function toFile({ file }: SqliteOptions, { dataDirectory }: PluginContext): string {
	return file === undefined ? join(dataDirectory, "svc.db") : resolve(file);
}

/** Parameters for opening a database file that this process has locked. */
interface LockedFile {
	readonly Database: LibsqlConstructor;
	readonly file: string;
	/** True if commits wait for the disk. */
	readonly durable: boolean;
	readonly unlock: () => void;
	readonly context: PluginContext;
}

async function openLocked({ Database, file, durable, unlock, context }: LockedFile): Promise<DatabaseClient> {
	const { knex, takeConnection, stop } = await createKnex(file, () => connect(Database, file), context.logger);
	try {
		if (readLogBytes(file) > 0) checkpointLeftoverLog(Database, file);
		await migrate(knex, file);
		const largeTexts = new LargeTexts(toTextDirectory(file));
		const writeConnection = await takeConnection();
		const writer = new SqliteConnection(writeConnection, { largeTexts, log: new WalLimiter(writeConnection, file) });
		const readConnection = connect(Database, file);
		readConnection.exec("PRAGMA query_only = ON");
		const reader = new SqliteConnection(readConnection);
		const commits = new SqliteGroupCommit(writer, durable);
		return {
			knex,
			dialect,
			read: (step) => reader.read(step),
			write: (write) => commits.write(write),
			largeTexts,
			async compact(kinds) {
				const hasMoreTexts = await sweepTexts({ largeTexts, reader, kinds });
				return (await compactFile({ writer, commits, connect: () => connect(Database, file) })) || hasMoreTexts;
			},
			async stop() {
				await commits.finish();
				await largeTexts.stop();
				readConnection.close();
				writer.checkpointAndRelease();
				await stop().finally(unlock);
			},
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Throws `SVC_CONFIG` for invalid options: plain JavaScript may pass any value, and a wrong one must not silently mean the default. */
function checkOptions(options: SqliteOptions): SqliteOptions {
	const { client, file, synchronous }: { readonly [name: string]: unknown } = { ...options };
	if (client !== "sqlite")
		throw new SvcError("SVC_CONFIG", `storage.client "${String(client)}" is unknown; allowed are "sqlite" and "postgres"`);
	if (file !== undefined && typeof file !== "string") throw new SvcError("SVC_CONFIG", "storage.file must be a path");
	if (synchronous === undefined || synchronous === "FULL" || synchronous === "NORMAL") return options;
	throw new SvcError("SVC_CONFIG", `storage.synchronous "${String(synchronous)}" is unknown; allowed are "FULL" and "NORMAL"`);
}

async function createFile(file: string): Promise<void> {
	await mkdir(dirname(file), { recursive: true, mode: 0o700 });
	for (const path of [file, toLockFile(file)]) await createPrivateFile(path);
}

/**
 * Copies the write-ahead log that a killed service has left into the file. Otherwise a log that has filled its volume would prevent all
 * writes of the next start.
 */
function checkpointLeftoverLog(Database: LibsqlConstructor, file: string): void {
	const connection = connect(Database, file);
	try {
		connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
	} catch (error) {
		// Another program reads the file; a later checkpoint empties the log.
		if (!isBusy(error)) throw error;
	} finally {
		connection.close();
	}
}

function connect(Database: LibsqlConstructor, file: string): LibsqlDatabase {
	// Waiting for a lock blocks the event loop, so the timeout is only 50 ms. Group commit then retries without blocking.
	const database = new Database(file, { timeout: 50 });
	// Takes effect only while the file is empty, and allows the file to shrink later.
	database.exec("PRAGMA auto_vacuum = INCREMENTAL");
	database.exec("PRAGMA journal_mode = WAL");
	database.exec("PRAGMA synchronous = FULL");
	database.exec("PRAGMA cache_size = -16000");
	return database;
}

/** Maximum pages of 4 KiB that one step of compaction frees, in a few milliseconds. */
const maxFreedPages = 500;

/** Value of `PRAGMA auto_vacuum` for `INCREMENTAL`. */
const incrementalAutoVacuum = 2;

const autoVacuum: Statement = { sql: "pragma auto_vacuum", resultKind: "row" };
const freePages: Statement = { sql: "pragma freelist_count", resultKind: "row" };

interface CompactionInput {
	readonly writer: SqliteConnection;
	readonly commits: SqliteGroupCommit;
	/** Opens a connection for the checkpoint, which runs in another thread. */
	readonly connect: () => LibsqlDatabase;
}

/**
 * Removes free pages from the end of the file. Returns true if there are more. A file that was created without incremental auto-vacuum
 * keeps its size; its free pages are reused.
 */
async function compactFile({ writer, commits, connect }: CompactionInput): Promise<boolean> {
	const read = (statement: Statement) => Number(writer.run({ statement, bindings: [] }).rows[0]?.[0]);
	const { freedPages, remainingPages } = await commits.runOutsideTransaction(() => {
		const initialPages = read(freePages);
		if (initialPages === 0 || read(autoVacuum) !== incrementalAutoVacuum) return { freedPages: 0, remainingPages: 0 };
		// If a power failure undoes this step, no data is lost, so it need not wait for the disk.
		writer.setDurable(false);
		// Use `exec`, because the statement frees one page for each row that is read, and a prepared statement does not read all rows.
		writer.exec(`pragma incremental_vacuum(${maxFreedPages})`);
		const remainingPages = read(freePages);
		return { freedPages: initialPages - remainingPages, remainingPages };
	});
	if (freedPages === 0 || remainingPages > 0) return freedPages > 0;
	const database = connect();
	try {
		// Until a checkpoint, the removal of the pages is only in the log, and the file keeps its size.
		await database.execAsync("PRAGMA wal_checkpoint(PASSIVE)");
	} finally {
		database.close();
	}
	return false;
}
