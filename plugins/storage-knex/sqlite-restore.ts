import { chmod, copyFile, link, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { SvcError } from "../../core/contract/index.ts";
import type { LibsqlConstructor } from "./libsql.ts";
import { syncToDisk } from "./sqlite-backup.ts";
import { assertServiceDatabase, assertUndamaged, createPrivateFile, exists } from "./sqlite-file-checks.ts";
import { lockDatabase, toLockFile } from "./sqlite-lock.ts";
import { toTextDirectory } from "./sqlite-texts.ts";

/** Suffixes of the files that SQLite keeps next to a database. */
const companionSuffixes = ["-wal", "-shm"];

/**
 * Replaces the database by a backup. The files of the old database remain in the same directory under other names. Returns the path of the
 * old file, or undefined if there was none. At every moment the path refers to either the whole old file or the whole new one. Throws
 * `SVC_CONFIG` if the source is not a backup, and `SVC_UNAVAILABLE` if a service uses the database.
 */
export async function restore(Database: LibsqlConstructor, file: string, source: string): Promise<string | undefined> {
	const from = resolve(source);
	const stats = await stat(from).catch(() => undefined);
	if (stats === undefined || !stats.isFile() || stats.size === 0) throw new SvcError("SVC_CONFIG", `"${from}" is not a backup`);
	if (await exists(`${from}-wal`)) {
		throw new SvcError("SVC_CONFIG", `"${from}" is a database in use (see "${from}-wal"), not a backup`);
	}
	await assertServiceDatabase(Database, from);
	await assertUndamaged(Database, from);
	await mkdir(dirname(file), { recursive: true, mode: 0o700 });
	await createPrivateFile(toLockFile(file));
	const unlock = lockDatabase(Database, file);
	const partFile = `${file}.part`;
	try {
		await copyFile(from, partFile);
		await chmod(partFile, 0o600);
		await syncToDisk(partFile);
		const oldFile = (await exists(file)) ? await moveAside(file) : undefined;
		await rename(partFile, file);
		await syncToDisk(dirname(file));
		return oldFile;
	} finally {
		await rm(partFile, { force: true });
		unlock();
	}
}

/** Renames the old database with its log and large texts. Otherwise SQLite would apply the old log to the new database. */
async function moveAside(file: string): Promise<string> {
	const oldFile = await linkWithTime(file);
	if (await exists(toTextDirectory(file))) await rename(toTextDirectory(file), toTextDirectory(oldFile));
	for (const suffix of companionSuffixes) if (await exists(`${file}${suffix}`)) await rename(`${file}${suffix}`, `${oldFile}${suffix}`);
	return oldFile;
}

/** Gives a file a second name that ends with the time, and with a number if another file of the same second exists. */
async function linkWithTime(file: string): Promise<string> {
	const first = `${file}.${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
	for (let number = 1; ; number += 1) {
		const name = number === 1 ? first : `${first}-${number}`;
		try {
			await link(file, name);
			return name;
		} catch (error) {
			if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
		}
	}
}
