import { mkdir, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isSvcError, type PluginContext, SvcError, toErrorMessage } from "../../core/contract/index.ts";
import type { DatabaseClient, Dialect } from "./database-client.ts";
import { GroupCommit } from "./group-commit.ts";
import { createKnex, importLibsql, type LibsqlConstructor, type LibsqlDatabase } from "./libsql.ts";
import { migrate } from "./migrate.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { fromSqliteError } from "./sqlite-errors.ts";
import { lockDatabase } from "./sqlite-lock.ts";

export interface SqliteOptions {
	readonly client: "sqlite";
	/** Path of the database file, relative to the working directory. Default `svc.db` in the data directory. */
	readonly file?: string;
	/** When an acknowledged write is on the disk: `FULL` before the acknowledgement, `NORMAL` a little later. Default `FULL`. */
	readonly synchronous?: "FULL" | "NORMAL";
}

const dialect: Dialect = {
	inList: "?? in (select value from json_each(?))",
	append: "json_insert(??, '$[#]', json(?))",
};

export async function openSqlite(options: SqliteOptions, context: PluginContext): Promise<DatabaseClient> {
	const { synchronous = "FULL" } = checkOptions(options);
	const file = options.file === undefined ? join(context.dataDirectory, "svc.db") : resolve(options.file);
	const Database = await importLibsql();
	try {
		await createFile(file);
		const unlock = lockDatabase(Database, file);
		try {
			return await openLocked({ Database, file, durable: synchronous === "FULL", unlock, context });
		} catch (error) {
			unlock();
			throw error;
		}
	} catch (error) {
		const known = fromSqliteError(error);
		if (isSvcError(known)) throw known;
		throw new SvcError("SVC_UNAVAILABLE", `database "${file}" cannot be opened: ${toErrorMessage(error)}`, { cause: error });
	}
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
		await migrate(knex, file);
		const writer = new SqliteConnection(await takeConnection());
		const reading = connect(Database, file);
		reading.exec("PRAGMA query_only = ON");
		const reader = new SqliteConnection(reading);
		const commits = new GroupCommit(writer, durable);
		return {
			knex,
			dialect,
			read: (step) => reader.read(step),
			write: (write) => commits.write(write),
			async stop() {
				await commits.finish();
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
	if (client !== "sqlite") throw new SvcError("SVC_CONFIG", `storage.client "${String(client)}" is unknown; allowed is "sqlite"`);
	if (file !== undefined && typeof file !== "string") throw new SvcError("SVC_CONFIG", "storage.file must be a path");
	if (synchronous === undefined || synchronous === "FULL" || synchronous === "NORMAL") return options;
	throw new SvcError("SVC_CONFIG", `storage.synchronous "${String(synchronous)}" is unknown; allowed are "FULL" and "NORMAL"`);
}

/** SQLite would create the files readable for others. */
async function createFile(file: string): Promise<void> {
	await mkdir(dirname(file), { recursive: true, mode: 0o700 });
	for (const path of [file, `${file}.lock`]) {
		try {
			// Only a file that is not there is opened: closing one drops the locks that this process holds on it.
			await (await open(path, "wx", 0o600)).close();
		} catch (error) {
			if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
		}
	}
}

function connect(Database: LibsqlConstructor, file: string): LibsqlDatabase {
	// A wait for a lock holds the event loop, so it is short here; groups are tried again without holding it.
	const database = new Database(file, { timeout: 50 });
	database.exec("PRAGMA journal_mode = WAL");
	database.exec("PRAGMA synchronous = FULL");
	database.exec("PRAGMA wal_autocheckpoint = 4000");
	database.exec("PRAGMA cache_size = -16000");
	return database;
}
