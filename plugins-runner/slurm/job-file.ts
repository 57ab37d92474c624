import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { SvcError } from "../../core/contract/index.ts";

/** Without waiting for somebody who writes to a pipe: that would take one of the few threads that all files are opened with. */
const plainly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * A file of a run as its job has left it; undefined where there is none. A job may put anything in its place, and the service reads on a
 * machine that jobs do not reach: what a link leads to is not the job's to show. Throws `SVC_RUNNER` for what is no file of its own.
 */
export async function openJobFile(path: string): Promise<FileHandle | undefined> {
	const file = await open(path, plainly).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return undefined;
		throw error.code === "ELOOP" || error.code === "ENXIO" ? refuse(path, error) : error;
	});
	const found = await file?.stat();
	if (found === undefined || (found.isFile() && found.nlink <= 1)) return file;
	await file?.close();
	throw refuse(path);
}

/** The beginning of such a file; undefined where there is none. */
export async function readJobFile(path: string, most: number): Promise<string | undefined> {
	const file = await openJobFile(path);
	if (file === undefined) return undefined;
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0);
		return buffer.toString("utf8", 0, bytesRead);
	} finally {
		await file.close();
	}
}

function refuse(path: string, cause?: unknown): SvcError {
	return new SvcError("SVC_RUNNER", `the job has put something else in the place of its file "${path}", which is not read`, { cause });
}
