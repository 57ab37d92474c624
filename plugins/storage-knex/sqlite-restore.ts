import { chmod, copyFile, link, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { SvcError } from "../../core/contract/index.ts";
import type { LibsqlConstructor } from "./libsql.ts";
import { sync } from "./sqlite-backup.ts";
import { lockDatabase, toLockFile } from "./sqlite-lock.ts";
import { assertOwn, assertWhole, exists, makeFile } from "./sqlite-own.ts";
import { toTextDirectory } from "./sqlite-texts.ts";

/** Files that belong to a database beside the file itself. */
const companions = ["-wal", "-shm"];

/**
 * Put a backup in the place of the database, whose files stay beside it under another name: where that is. At every moment there is one
 * of the two, whole.
 */
export async function restore(Database: LibsqlConstructor, file: string, source: string): Promise<string | undefined> {
	const from = resolve(source);
	const found = await stat(from).catch(() => undefined);
	if (found === undefined || !found.isFile() || found.size === 0) throw new SvcError("SVC_CONFIG", `"${from}" is no backup`);
	if (await exists(`${from}-wal`)) {
		throw new SvcError("SVC_CONFIG", `"${from}" is a database in use, as "${from}-wal" shows, and no backup`);
	}
	await assertOwn(Database, from);
	await assertWhole(Database, from);
	await mkdir(dirname(file), { recursive: true, mode: 0o700 });
	await makeFile(toLockFile(file));
	const unlock = lockDatabase(Database, file);
	const part = `${file}.part`;
	try {
		await copyFile(from, part);
		await chmod(part, 0o600);
		await sync(part);
		const old = (await exists(file)) ? await putAside(file) : undefined;
		await rename(part, file);
		await sync(dirname(file));
		return old;
	} finally {
		await rm(part, { force: true });
		unlock();
	}
}

/** The log of the old database must not lie beside the new one, which it does not belong to. */
async function putAside(file: string): Promise<string> {
	const old = await linkBeside(file);
	if (await exists(toTextDirectory(file))) await rename(toTextDirectory(file), toTextDirectory(old));
	for (const suffix of companions) if (await exists(`${file}${suffix}`)) await rename(`${file}${suffix}`, `${old}${suffix}`);
	return old;
}

/** Gives a file a second name that ends with the time, and with a number if another one of that second is there. */
async function linkBeside(file: string): Promise<string> {
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
