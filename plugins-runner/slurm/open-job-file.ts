import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { SvcError } from "../../core/contract/index.ts";

/** Opens without blocking. Opening a pipe without a writer would otherwise block one of the few threads that open all files. */
const plainly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file of a run as its job has left it. Returns undefined if the file does not exist. A job can replace the file, and the service
 * may read files that the job must not access. A link could therefore disclose files of the service's machine. Throws `SVC_RUNNER` if the
 * path is not a regular file with a single link.
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

/** Returns at most `most` bytes from the beginning of a file of a run. Returns undefined if the file does not exist. */
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
	return new SvcError("SVC_RUNNER", `the job replaced its file "${path}" by something other than a regular file; it is not read`, {
		cause,
	});
}
