import { statSync } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { isSvcError, SvcError, toErrorMessage } from "../../core/contract/index.ts";
import { optionalBeginnings } from "./declared-migrations.ts";
import type { LibsqlConstructor, LibsqlDatabase } from "./libsql.ts";
import { listKnownMigrations } from "./migrate.ts";
import { executionsAndCatalog } from "./migrations/0001-executions-and-catalog.ts";
import { isBusy, sqliteCodeOf } from "./sqlite-errors.ts";
import { toLockFile } from "./sqlite-lock.ts";

/** Seconds after which a start should be retried if another program has locked the file. */
const retryAfterSeconds = 1;

/**
 * Returns a URI that opens a database for reading without changing any file: an existing write-ahead log is not checkpointed, and none is
 * created.
 */
export async function toReadOnlyAddress(file: string): Promise<string> {
	return `${pathToFileURL(file).href}?${(await exists(`${file}-wal`)) ? "mode=ro" : "immutable=1"}`;
}

/**
 * Checks, by reading only, that a file is missing, empty or a database of a service. Throws `SVC_CONFIG` with the path if the file belongs
 * to another program or is damaged, and `SVC_UNAVAILABLE` if it is locked.
 */
export async function assertServiceDatabase(Database: LibsqlConstructor, file: string): Promise<void> {
	assertRegularFiles(file);
	const stats = await stat(file).catch(() => undefined);
	if (stats === undefined || stats.size === 0) return;
	let connection: LibsqlDatabase | undefined;
	try {
		connection = new Database(await toReadOnlyAddress(file), { timeout: 200 });
		if (!holds(connection, "EXISTS (SELECT 1 FROM sqlite_master)")) return;
		const hasMigrations = holds(connection, "EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations')");
		if (hasMigrations && holds(connection, `EXISTS (SELECT 1 FROM migrations WHERE name = '${executionsAndCatalog.name}')`)) return;
		if (isFirstStartUnfinished(connection, hasMigrations)) return;
	} catch (error) {
		if (sqliteCodeOf(error) !== "SQLITE_ERROR") throw toOpeningError(error, file);
		// The table `migrations` has other columns, so the file belongs to another program.
	} finally {
		connection?.close();
	}
	throw new SvcError("SVC_CONFIG", `database "${file}" contains tables of another program and was not changed; hint: use another file`);
}

/** Returns the files of a database: the file itself, the files that SQLite creates next to it, and the lock file. */
const toFiles = (file: string) => [file, `${file}-wal`, `${file}-shm`, toLockFile(file)];

/** Throws `SVC_CONFIG` for a directory or a special file. SQLite would only report that it cannot open the file. */
function assertRegularFiles(file: string): void {
	for (const path of toFiles(file)) {
		const stats = statSync(path, { throwIfNoEntry: false });
		if (stats === undefined || stats.isFile()) continue;
		const why = stats.isDirectory() ? "is a directory; hint: name a file (storage.file)" : "is not a regular file; hint: use another file";
		throw new SvcError("SVC_CONFIG", `database "${file}" cannot be opened: "${path}" ${why}`);
	}
}

/** Returns an explanation if a file of the database belongs to another user than the process; otherwise undefined. */
function toOwnerMessage(file: string): string | undefined {
	const user = process.geteuid?.();
	for (const path of toFiles(file)) {
		const owner = statSync(path, { throwIfNoEntry: false })?.uid;
		if (owner === undefined || owner === user || user === 0) continue;
		const ids = `it belongs to the user with the id ${owner}, but the service runs as the user with the id ${user}`;
		return `cannot be opened: "${path}" cannot be read and written: ${ids}; hint: change its owner, or start the service as its owner`;
	}
	return undefined;
}

/** Returns true if a newer version has migrated the file. Only reads. */
export async function isFromNewerVersion(Database: LibsqlConstructor, file: string): Promise<boolean> {
	if (!(await exists(file))) return false;
	const connection = new Database(await toReadOnlyAddress(file), { timeout: 200 });
	try {
		if (!holds(connection, "EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations')")) return false;
		const knownNames = listKnownMigrations().map((name) => `'${name}'`);
		const isOptional = optionalBeginnings.map((beginning) => `name GLOB '${beginning}*'`).join(" OR ");
		const isUnknown = `name NOT IN (${knownNames.join(", ")}) AND NOT (${isOptional})`;
		return holds(connection, `EXISTS (SELECT 1 FROM migrations WHERE ${isUnknown})`);
	} finally {
		connection.close();
	}
}

/** Returns true if the file is of a service that was killed during its first start, when only the tables that record migrations existed. */
function isFirstStartUnfinished(connection: LibsqlDatabase, hasMigrations: boolean): boolean {
	const others = "type = 'table' AND name NOT IN ('migrations', 'migrations_lock', 'sqlite_sequence')";
	if (holds(connection, `EXISTS (SELECT 1 FROM sqlite_master WHERE ${others})`)) return false;
	return !hasMigrations || !holds(connection, "EXISTS (SELECT 1 FROM migrations)");
}

/** Throws `SVC_CONFIG` if any part of the file is damaged. Reads the whole file. */
export async function assertUndamaged(Database: LibsqlConstructor, file: string): Promise<void> {
	let connection: LibsqlDatabase | undefined;
	let isWhole: boolean;
	try {
		connection = new Database(await toReadOnlyAddress(file), { timeout: 200 });
		isWhole = holds(connection, "(SELECT group_concat(integrity_check) FROM pragma_integrity_check) = 'ok'");
	} catch (error) {
		throw toOpeningError(error, file);
	} finally {
		connection?.close();
	}
	if (!isWhole) throw new SvcError("SVC_CONFIG", `database "${file}" is damaged; hint: svc db restore <backup>`);
}

/** Converts an error of opening a file to `SVC_CONFIG` or `SVC_UNAVAILABLE`, with the path of the file. */
export function toOpeningError(error: unknown, file: string): unknown {
	if (isSvcError(error)) return error;
	const code = sqliteCodeOf(error);
	const refuse = (why: string) => new SvcError("SVC_CONFIG", `database "${file}" ${why}`, { cause: error });
	if (code.startsWith("SQLITE_NOTADB")) return refuse("is not an SQLite database and was not changed; hint: use another file");
	if (code.startsWith("SQLITE_CORRUPT")) return refuse(`is damaged (${toErrorMessage(error)}); hint: svc db restore <backup>`);
	const ownerMessage = isBusy(error) || code.startsWith("SQLITE_FULL") ? undefined : toOwnerMessage(file);
	if (ownerMessage !== undefined) return refuse(ownerMessage);
	if (code.startsWith("SQLITE_FULL"))
		return new SvcError("SVC_UNAVAILABLE", `database "${file}" cannot be opened: its volume is full; hint: free some space`, {
			cause: error,
		});
	if (!isBusy(error))
		return new SvcError("SVC_UNAVAILABLE", `database "${file}" cannot be opened: ${toErrorMessage(error)}`, { cause: error });
	// The lock is probably temporary, so the caller should retry the start.
	return new SvcError("SVC_UNAVAILABLE", `database "${file}" is locked by another program`, {
		cause: error,
		facts: { retry_after: retryAfterSeconds },
	});
}

/**
 * Returns true if an SQL condition is true. A prepared statement would keep the file open until it is garbage-collected. `exec` returns no
 * result, so the statement fails if the condition is false.
 */
function holds(connection: LibsqlDatabase, condition: string): boolean {
	try {
		connection.exec(`SELECT CASE WHEN ${condition} THEN 1 ELSE abs(-9223372036854775808) END`);
		return true;
	} catch (error) {
		if (error instanceof Error && error.message.includes("integer overflow")) return false;
		throw error;
	}
}

/**
 * Creates a file that only its owner can read, because SQLite would create one that other users can read. Does not change an existing file.
 */
export async function createPrivateFile(path: string): Promise<void> {
	try {
		// Open the file only if it does not exist: closing an existing file would release the locks that this process holds on it.
		await (await open(path, "wx", 0o600)).close();
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
	}
}

/** Returns true if a file or directory exists. */
export function exists(path: string): Promise<boolean> {
	return access(path).then(
		() => true,
		() => false,
	);
}
