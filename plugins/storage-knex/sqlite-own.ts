import { statSync } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { isSvcError, SvcError, toErrorMessage } from "../../core/contract/index.ts";
import { optional } from "./declared-migrations.ts";
import type { LibsqlConstructor, LibsqlDatabase } from "./libsql.ts";
import { listKnown } from "./migrate.ts";
import { executionsAndCatalog } from "./migrations/0001-executions-and-catalog.ts";
import { codeOf, isBusy } from "./sqlite-errors.ts";
import { toLockFile } from "./sqlite-lock.ts";

/** Seconds after which it is worth asking a file again that another program has locked. */
const retryAfter = 1;

/** Leaves no trace: a file with a log beside it is not checkpointed, and one without gets none. */
export async function toReadOnlyAddress(file: string): Promise<string> {
	return `${pathToFileURL(file).href}?${(await exists(`${file}-wal`)) ? "mode=ro" : "immutable=1"}`;
}

/**
 * See by reading alone that a file holds what a service keeps, or nothing yet. `SVC_CONFIG` with its path for one of another program,
 * and for one that is damaged; `SVC_UNAVAILABLE` for one that is locked now.
 */
export async function assertOwn(Database: LibsqlConstructor, file: string): Promise<void> {
	assertFiles(file);
	const found = await stat(file).catch(() => undefined);
	if (found === undefined || found.size === 0) return;
	let connection: LibsqlDatabase | undefined;
	try {
		connection = new Database(await toReadOnlyAddress(file), { timeout: 200 });
		if (!holds(connection, "EXISTS (SELECT 1 FROM sqlite_master)")) return;
		const isKept = holds(connection, "EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations')");
		if (isKept && holds(connection, `EXISTS (SELECT 1 FROM migrations WHERE name = '${executionsAndCatalog.name}')`)) return;
		if (isBegun(connection, isKept)) return;
	} catch (error) {
		if (codeOf(error) !== "SQLITE_ERROR") throw toOpeningError(error, file);
		// Its table has another shape.
	} finally {
		connection?.close();
	}
	throw new SvcError("SVC_CONFIG", `database "${file}" holds tables of another program, and was not touched; hint: another file`);
}

/** The files of a database: SQLite makes the others beside the first. */
const toFiles = (file: string) => [file, `${file}-wal`, `${file}-shm`, toLockFile(file)];

/** Refuses a directory in the place of a file, of which SQLite could only say that it cannot open it. */
function assertFiles(file: string): void {
	for (const path of toFiles(file)) {
		const found = statSync(path, { throwIfNoEntry: false });
		if (found === undefined || found.isFile()) continue;
		const why = found.isDirectory() ? "is a directory; hint: name a file (storage.file)" : "is not a regular file; hint: another file";
		throw new SvcError("SVC_CONFIG", `database "${file}" cannot be opened: "${path}" ${why}`);
	}
}

/** Why a file that could not be opened cannot be, where it belongs to another user than that of this process. */
function toOwnerMessage(file: string): string | undefined {
	const user = process.geteuid?.();
	for (const path of toFiles(file)) {
		const owner = statSync(path, { throwIfNoEntry: false })?.uid;
		if (owner === undefined || owner === user || user === 0) continue;
		const ids = `it belongs to the user with the id ${owner}, and the service runs as the user with the id ${user}`;
		return `cannot be opened: "${path}" cannot be read and written: ${ids}; hint: change its owner, or start the service as its owner`;
	}
	return undefined;
}

/** Returns true if a newer version has migrated the file. Reads only. */
export async function isNewer(Database: LibsqlConstructor, file: string): Promise<boolean> {
	if (!(await exists(file))) return false;
	const connection = new Database(await toReadOnlyAddress(file), { timeout: 200 });
	try {
		if (!holds(connection, "EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations')")) return false;
		const known = listKnown().map((name) => `'${name}'`);
		const isUnknown = `name NOT IN (${known.join(", ")}) AND name NOT LIKE '${optional}%'`;
		return holds(connection, `EXISTS (SELECT 1 FROM migrations WHERE ${isUnknown})`);
	} finally {
		connection.close();
	}
}

/** Whether a service was killed there in its first start, before it had made more than the tables of its migrations. */
function isBegun(connection: LibsqlDatabase, isKept: boolean): boolean {
	const others = "type = 'table' AND name NOT IN ('migrations', 'migrations_lock', 'sqlite_sequence')";
	if (holds(connection, `EXISTS (SELECT 1 FROM sqlite_master WHERE ${others})`)) return false;
	return !isKept || !holds(connection, "EXISTS (SELECT 1 FROM migrations)");
}

/** `SVC_CONFIG` where a file is damaged anywhere: reads all of it. */
export async function assertWhole(Database: LibsqlConstructor, file: string): Promise<void> {
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

/** What opening a file has failed with, and its path. */
export function toOpeningError(error: unknown, file: string): unknown {
	if (isSvcError(error)) return error;
	const code = codeOf(error);
	const refuse = (why: string) => new SvcError("SVC_CONFIG", `database "${file}" ${why}`, { cause: error });
	if (code.startsWith("SQLITE_NOTADB")) return refuse("is no SQLite database, and was not touched; hint: another file");
	if (code.startsWith("SQLITE_CORRUPT")) return refuse(`is damaged (${toErrorMessage(error)}); hint: svc db restore <backup>`);
	const ownerMessage = isBusy(error) || code.startsWith("SQLITE_FULL") ? undefined : toOwnerMessage(file);
	if (ownerMessage !== undefined) return refuse(ownerMessage);
	if (code.startsWith("SQLITE_FULL"))
		return new SvcError("SVC_UNAVAILABLE", `database "${file}" cannot be opened: its volume is full; hint: free some room there`, {
			cause: error,
		});
	if (!isBusy(error))
		return new SvcError("SVC_UNAVAILABLE", `database "${file}" cannot be opened: ${toErrorMessage(error)}`, { cause: error });
	// It passes when that program is done, so a start is tried again.
	return new SvcError("SVC_UNAVAILABLE", `database "${file}" is locked by another program`, {
		cause: error,
		facts: { retry_after: retryAfter },
	});
}

/**
 * Whether a condition holds. Not asked with a prepared statement, which would keep the file open until it is collected as garbage:
 * what runs without one tells nothing but whether it fails, so it is made to fail where the condition does not hold.
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

/** SQLite would make it readable for others. One that is there stays as it is. */
export async function makeFile(path: string): Promise<void> {
	try {
		// Only a file that is not there is opened: closing one drops the locks that this process holds on it.
		await (await open(path, "wx", 0o600)).close();
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
	}
}

export function exists(path: string): Promise<boolean> {
	return access(path).then(
		() => true,
		() => false,
	);
}
