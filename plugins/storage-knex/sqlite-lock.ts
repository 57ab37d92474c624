import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { SvcError } from "../../core/contract/index.ts";
import type { LibsqlConstructor } from "./libsql.ts";
import { isBusy } from "./sqlite-errors.ts";

/** The small file beside the database that a service holds a lock on. */
export function toLockFile(file: string): string {
	return `${file}.lock`;
}

/**
 * Keep a second service away from the database in `file`, for as long as this process lives or until the returned function is
 * called. Holds a lock on a small file of its own, which the system drops with the process and which does not keep readers
 * of the database away.
 */
export function lockDatabase(Database: LibsqlConstructor, file: string): () => void {
	const connection = new Database(toLockFile(file), { timeout: 0 });
	try {
		// Not prepared: a prepared statement would keep the connection open until it is collected as garbage.
		connection.exec("PRAGMA locking_mode = EXCLUSIVE");
		connection.exec("BEGIN EXCLUSIVE");
	} catch (error) {
		connection.close();
		if (!isBusy(error)) throw error;
		throw new SvcError("SVC_UNAVAILABLE", `database "${file}" is in use by another service; stop it or give this one a file of its own`, {
			cause: error,
		});
	}
	return () => connection.close();
}

/** Whether a service holds the lock now. Changes nothing. */
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
