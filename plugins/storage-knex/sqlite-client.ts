import { constants } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type PluginContext, SvcError, toErrorMessage } from "../../core/contract/index.ts";
import type { Database, DatabaseClient, Dialect, Statement } from "./database-client.ts";
import { GroupCommit } from "./group-commit.ts";
import { LargeTexts } from "./large-texts.ts";
import { createKnex, importLibsql, type LibsqlConstructor, type LibsqlDatabase } from "./libsql.ts";
import { migrate, planMigrations } from "./migrate.ts";
import { backUp } from "./sqlite-backup.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { isBusy } from "./sqlite-errors.ts";
import { isDatabaseLocked, lockDatabase, toLockFile } from "./sqlite-lock.ts";
import { BoundedLog, readLogBytes } from "./sqlite-log.ts";
import { assertOwn, exists, isNewer, makeFile, toOpeningError, toReadOnlyAddress } from "./sqlite-own.ts";
import { restore } from "./sqlite-restore.ts";
import { sweepTexts, toTextDirectory } from "./sqlite-texts.ts";

export interface SqliteOptions {
	readonly client: "sqlite";
	/** Path of the database file, relative to the working directory. Default `svc.db` in the data directory. */
	readonly file?: string;
	/** When an acknowledged write is on the disk: `FULL` before the acknowledgement, `NORMAL` a little later. Default `FULL`. */
	readonly synchronous?: "FULL" | "NORMAL";
}

const dialect: Dialect = {
	inList: "?? in (select value from json_each(?))",
	contains: "instr(??, ?) > 0",
	toList: (values) => JSON.stringify(values),
	append: "json_insert(:column:, '$[#]', json(:value))",
	order: { asc: "?? asc", desc: "?? desc" },
	locksRows: false,
	toChange: (sql) => sql,
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
		place: (context) => toFile(checkOptions(options), context),
	};
}

async function checkSqlite(options: SqliteOptions, context: PluginContext): Promise<void> {
	const file = toFile(checkOptions(options), context);
	await importLibsql();
	await assertWritable(dirname(file)).catch((cause: unknown) => {
		throw new SvcError("SVC_CONFIG", `storage.file: database "${file}" cannot be written: ${toErrorMessage(cause)}`, { cause });
	});
}

/** A directory that is not there yet can be made where the one above it can be written to. */
async function assertWritable(directory: string): Promise<void> {
	try {
		if (!(await stat(directory)).isDirectory()) throw new Error(`"${directory}" is no directory`);
		await access(directory, constants.W_OK | constants.X_OK);
	} catch (error) {
		const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
		if (!isAbsent || dirname(directory) === directory) throw error;
		await assertWritable(dirname(directory));
	}
}

async function openSqlite(options: SqliteOptions, context: PluginContext): Promise<DatabaseClient> {
	const { synchronous = "FULL" } = checkOptions(options);
	const file = toFile(options, context);
	const Database = await importLibsql();
	try {
		// Before anything is made beside it: a file of another program, or of a newer version, stays as it is.
		await assertOwn(Database, file);
		// Planning refuses such a file with the name of what is unknown.
		if (await isNewer(Database, file)) await planSqlite(options, context);
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

/** Reads only: a file that is not there is not made. */
async function planSqlite(options: SqliteOptions, context: PluginContext): Promise<readonly string[]> {
	const file = toFile(checkOptions(options), context);
	const Database = await importLibsql();
	await assertOwn(Database, file);
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

interface LockedFile {
	readonly Database: LibsqlConstructor;
	readonly file: string;
	readonly durable: boolean;
	readonly unlock: () => void;
	readonly context: PluginContext;
}

async function openLocked({ Database, file, durable, unlock, context }: LockedFile): Promise<DatabaseClient> {
	const { knex, takeConnection, stop } = await createKnex(file, () => connect(Database, file), context.logger);
	try {
		if (readLogBytes(file) > 0) emptyLog(Database, file);
		await migrate(knex, file);
		const largeTexts = new LargeTexts(toTextDirectory(file));
		const connection = await takeConnection();
		const writer = new SqliteConnection(connection, { largeTexts, log: new BoundedLog(connection, file) });
		const reading = connect(Database, file);
		reading.exec("PRAGMA query_only = ON");
		const reader = new SqliteConnection(reading);
		const commits = new GroupCommit(writer, durable);
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
				reading.close();
				writer.tidy();
				await stop().finally(unlock);
			},
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Plain JavaScript may say anything, and a wrong word must not quietly mean a default. */
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
	for (const path of [file, toLockFile(file)]) await makeFile(path);
}

/**
 * Copies the log of a service that was killed into the file. Without that a log that has filled its volume would keep the next start from
 * writing anything.
 */
function emptyLog(Database: LibsqlConstructor, file: string): void {
	const connection = connect(Database, file);
	try {
		connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
	} catch (error) {
		// Another program reads: the log is emptied later.
		if (!isBusy(error)) throw error;
	} finally {
		connection.close();
	}
}

function connect(Database: LibsqlConstructor, file: string): LibsqlDatabase {
	// A wait for a lock holds the event loop, so it is short here; groups are tried again without holding it.
	const database = new Database(file, { timeout: 50 });
	// Counts only while the file is empty, and is what lets it shrink.
	database.exec("PRAGMA auto_vacuum = INCREMENTAL");
	database.exec("PRAGMA journal_mode = WAL");
	database.exec("PRAGMA synchronous = FULL");
	database.exec("PRAGMA cache_size = -16000");
	return database;
}

/** Pages moved at a time, of 4 KiB each: a matter of milliseconds. */
const pagesAtOnce = 500;

const incremental = 2;

const autoVacuum: Statement = { sql: "pragma auto_vacuum", answer: "row" };
const freePages: Statement = { sql: "pragma freelist_count", answer: "row" };

interface CompactedFile {
	readonly writer: SqliteConnection;
	readonly commits: GroupCommit;
	/** Opens a connection for the checkpoint, which is done in another thread. */
	readonly connect: () => LibsqlDatabase;
}

/**
 * Cut free pages off the end of the file: whether there are more. A file of a version that did not ask for that when it was
 * made keeps its size, and its free pages are used again.
 */
async function compactFile({ writer, commits, connect }: CompactedFile): Promise<boolean> {
	const read = (statement: Statement) => Number(writer.run({ statement, bindings: [] }).rows[0]?.[0]);
	const { freed, left } = await commits.between(() => {
		const before = read(freePages);
		if (before === 0 || read(autoVacuum) !== incremental) return { freed: 0, left: 0 };
		// Nothing is lost when the last of these steps is.
		writer.setDurable(false);
		// Not prepared: it frees a page each time it is stepped, and is stepped to its end only here.
		writer.exec(`pragma incremental_vacuum(${pagesAtOnce})`);
		const left = read(freePages);
		return { freed: before - left, left };
	});
	if (freed === 0 || left > 0) return freed > 0;
	const database = connect();
	try {
		// Until then the pages that went are only in the log, and the file is as long as it was.
		await database.execAsync("PRAGMA wal_checkpoint(PASSIVE)");
	} finally {
		database.close();
	}
	return false;
}
