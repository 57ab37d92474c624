import { link, open, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { SvcError, toErrorMessage } from "../../core/contract/index.ts";
import type { LibsqlConstructor } from "./libsql.ts";
import { assertServiceDatabase, assertUndamaged, createPrivateFile, exists, toOpeningError } from "./sqlite-file-checks.ts";
import { inlineLargeTexts, toTextDirectory } from "./sqlite-texts.ts";

/**
 * Writes a consistent copy of the database to another file, even while a service uses it. A single transaction reads all data and blocks no
 * other connection. A page-by-page copy would restart with each write. Throws `SVC_CONFIG` if there is no database, `SVC_CONFLICT` if the
 * target exists, and `SVC_UNAVAILABLE` if it cannot be written.
 */
export async function backUp(Database: LibsqlConstructor, file: string, target: string): Promise<void> {
	if (!(await exists(file))) throw new SvcError("SVC_CONFIG", `database "${file}" does not exist; it cannot be backed up`);
	await assertServiceDatabase(Database, file);
	const path = resolve(target);
	if (await exists(path)) throw toExistsError(path);
	const partFile = `${path}.part`;
	try {
		// Remove the file of an earlier failed attempt. Create an empty file for SQLite, which would otherwise create one that other users can
		// read.
		await rm(partFile, { force: true });
		await createPrivateFile(partFile);
		await copyInto(Database, file, partFile);
		await completeCopy(Database, file, partFile);
		await assertUndamaged(Database, partFile);
		await syncToDisk(partFile);
		// Fails if another process has created a file with this name in the meantime, so that no file is ever replaced.
		await link(partFile, path);
		await syncToDisk(dirname(path));
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "EEXIST") throw toExistsError(path);
		if (error instanceof SvcError) throw error;
		throw new SvcError("SVC_UNAVAILABLE", `the backup "${path}" cannot be written: ${toErrorMessage(error)}`, { cause: error });
	} finally {
		await rm(partFile, { force: true });
	}
}

async function copyInto(Database: LibsqlConstructor, file: string, partFile: string): Promise<void> {
	let connection: InstanceType<LibsqlConstructor>;
	try {
		// Do not open it read-only: without a log, `toReadOnlyAddress` makes SQLite assume that no process changes the file.
		connection = new Database(file, { timeout: 5_000 });
	} catch (error) {
		throw toOpeningError(error, file);
	}
	try {
		await connection.execAsync(`VACUUM INTO '${partFile.replaceAll("'", "''")}'`);
	} finally {
		connection.close();
	}
}

/** Adds the large texts to the copy. Uses neither a journal nor syncs, because an incomplete copy is discarded anyway. */
async function completeCopy(Database: LibsqlConstructor, file: string, partFile: string): Promise<void> {
	if (!(await exists(toTextDirectory(file)))) return;
	const connection = new Database(partFile, { timeout: 5_000 });
	try {
		connection.exec("PRAGMA journal_mode = OFF");
		connection.exec("PRAGMA synchronous = OFF");
		await inlineLargeTexts(connection, file);
	} finally {
		connection.close();
	}
}

function toExistsError(path: string): SvcError {
	return new SvcError("SVC_CONFLICT", `"${path}" already exists and is not replaced`);
}

/** Syncs a file or a directory to the disk. */
export async function syncToDisk(path: string): Promise<void> {
	const handle = await open(path, "r");
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}
