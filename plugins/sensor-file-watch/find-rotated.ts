import { constants } from "node:fs";
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isFileAt, type Position, toFileId } from "./position.ts";
import { unlessMissing } from "./watched-files.ts";

/** The file that was read up to a position, by its new name beside the old one (`app.log.1`, `app.log-20260101`). */
export async function findRotated(path: string, position: Position): Promise<FileHandle | undefined> {
	const directory = dirname(path);
	const names = (await unlessMissing(readdir(directory))) ?? [];
	for (const name of names.filter((name) => name.startsWith(basename(path)))) {
		const candidate = join(directory, name);
		const found = await unlessMissing(stat(candidate, { bigint: true }));
		if (found === undefined || !found.isFile() || toFileId(found) !== position.file) continue;
		const handle = await unlessMissing(open(candidate, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
		if (handle === undefined) continue;
		let isIt = false;
		try {
			isIt = await isFileAt(handle, position);
		} finally {
			if (!isIt) await handle.close();
		}
		if (isIt) return handle;
	}
	return undefined;
}
