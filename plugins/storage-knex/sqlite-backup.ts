import { link, open, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { SvcError, toErrorMessage } from "../../core/contract/index.ts";
import type { LibsqlConstructor } from "./libsql.ts";
import { assertOwn, assertWhole, exists, makeFile, toOpeningError } from "./sqlite-own.ts";
import { putInTexts, toTextDirectory } from "./sqlite-texts.ts";

/**
 * Write the database of a moment into another file, while a service works on it. Not copied page by page, which would begin again with
 * each write: one transaction reads it all, and holds nobody up.
 */
export async function backUp(Database: LibsqlConstructor, file: string, target: string): Promise<void> {
	if (!(await exists(file))) throw new SvcError("SVC_CONFIG", `database "${file}" is not there; there is nothing to back up`);
	await assertOwn(Database, file);
	const path = resolve(target);
	if (await exists(path)) throw taken(path);
	const part = `${path}.part`;
	try {
		// It is what an earlier attempt has left. SQLite fills a file that is empty, and would make one that others can read.
		await rm(part, { force: true });
		await makeFile(part);
		await copyInto(Database, file, part);
		await completeCopy(Database, file, part);
		await assertWhole(Database, part);
		await sync(part);
		// Fails where another one has made it meanwhile, and so does not replace it.
		await link(part, path);
		await sync(dirname(path));
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "EEXIST") throw taken(path);
		if (error instanceof SvcError) throw error;
		throw new SvcError("SVC_UNAVAILABLE", `the backup "${path}" cannot be written: ${toErrorMessage(error)}`, { cause: error });
	} finally {
		await rm(part, { force: true });
	}
}

async function copyInto(Database: LibsqlConstructor, file: string, part: string): Promise<void> {
	let connection: InstanceType<LibsqlConstructor>;
	try {
		// Not by an address for reading alone: without a log beside it the file would be taken for one that nobody changes.
		connection = new Database(file, { timeout: 5_000 });
	} catch (error) {
		throw toOpeningError(error, file);
	}
	try {
		await connection.execAsync(`VACUUM INTO '${part.replaceAll("'", "''")}'`);
	} finally {
		connection.close();
	}
}

/** Nothing but the copy itself needs to be kept until it is whole. */
async function completeCopy(Database: LibsqlConstructor, file: string, part: string): Promise<void> {
	if (!(await exists(toTextDirectory(file)))) return;
	const connection = new Database(part, { timeout: 5_000 });
	try {
		connection.exec("PRAGMA journal_mode = OFF");
		connection.exec("PRAGMA synchronous = OFF");
		await putInTexts(connection, file);
	} finally {
		connection.close();
	}
}

function taken(path: string): SvcError {
	return new SvcError("SVC_CONFLICT", `"${path}" is there already, and is not replaced`);
}

/** Onto the disk. */
export async function sync(path: string): Promise<void> {
	const opened = await open(path, "r");
	try {
		await opened.sync();
	} finally {
		await opened.close();
	}
}
