import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { SvcError } from "../../core/contract/index.ts";
import type { LibsqlConstructor } from "./libsql.ts";
import { isBusy } from "./sqlite-errors.ts";

/** Returns the path of the lock file of a database. A running service holds a lock on this small file. */
export function toLockFile(file: string): string {
	return `${file}.lock`;
}

/**
 * Prevents a second service from using the database in `file`, until this process ends or the returned function is called. Throws
 * `SVC_UNAVAILABLE` if another service uses it. Because the lock is on a separate file, it does not block readers of the database. The
 * operating system releases it when the process ends.
 */
export function lockDatabase(Database: LibsqlConstructor, file: string): () => void {
	const connection = new Database(toLockFile(file), { timeout: 0 });
	try {
		// Not prepared: a prepared statement would keep the connection open until the statement is garbage-collected.
		connection.exec("PRAGMA locking_mode = EXCLUSIVE");
		connection.exec("BEGIN EXCLUSIVE");
	} catch (error) {
		connection.close();
		if (!isBusy(error)) throw error;
		throw new SvcError(
			"SVC_UNAVAILABLE",
			`database "${file}" is in use by another service; stop it, or use a different file for this service`,
			{
				cause: error,
			},
		);
	}
	return () => connection.close();
}

/** Returns true if a service holds the lock now. Changes nothing. */
export function isDatabaseLocked(Database: LibsqlConstructor, file: string): boolean {
	const lock = toLockFile(file);
	if (!existsSync(lock)) return false;
	const connection = new Database(`${pathToFileURL(lock).href}?mode=ro`, { timeout: 0 });
	try {
		connection.exec("SELECT 1 FROM sqlite_master");
		return false;
	} catch (error) {
		if (isBusy(error)) return true;
		throw error;
	} finally {
		connection.close();
	}
}
