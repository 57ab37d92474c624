import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { isAbsolute, normalize, resolve, sep } from "node:path";
import { SvcError } from "../../core/contract/index.ts";

/** Files that the configuration allows to watch. */
export interface WatchedFiles {
	/**
	 * Opens a file. Returns undefined if it does not exist. Throws `SVC_FORBIDDEN` if it may not be watched, and `SVC_INVALID` if it is not
	 * a regular file.
	 */
	open(path: string): Promise<FileHandle | undefined>;
}

/** @param paths absolute paths of files, and of directories whose files may be watched */
export function createWatchedFiles(paths: readonly string[]): WatchedFiles {
	for (const path of paths) {
		if (!isAbsolute(path)) throw new SvcError("SVC_CONFIG", `sensor file-watch: paths: "${path}" must be an absolute path`);
	}
	const allowed = paths.map((path) => resolve(path));

	/** Returns true if the file may be watched. A link must not lead out of its directory. A configured file may itself be a link. */
	async function isAllowed(path: string, real: string): Promise<boolean> {
		if (allowed.includes(path)) return true;
		for (const directory of allowed) {
			const root = await unlessMissing(realpath(directory));
			if (root !== undefined && real.startsWith(root.endsWith(sep) ? root : root + sep)) return true;
		}
		return false;
	}

	return {
		async open(path) {
			if (!isAbsolute(path)) throw new SvcError("SVC_INVALID", `file_path: "${path}" must be an absolute path`);
			const normal = normalize(path);
			const isBelow = allowed.some((root) => normal === root || normal.startsWith(root.endsWith(sep) ? root : root + sep));
			if (!isBelow) throw notAllowed(path);
			const real = await unlessMissing(realpath(normal));
			if (real === undefined) return undefined;
			if (!(await isAllowed(normal, real))) throw notAllowed(path);
			// `O_NOFOLLOW`: fails if the file has been replaced by a link since the check. `O_NONBLOCK`: does not wait for the writer of a pipe.
			const handle = await unlessMissing(open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
			if (handle === undefined || (await handle.stat()).isFile()) return handle;
			await handle.close();
			throw new SvcError("SVC_INVALID", `file_path: "${path}" is not a regular file`);
		},
	};
}

function notAllowed(path: string): SvcError {
	return new SvcError("SVC_FORBIDDEN", `file_path: "${path}" is not among the paths of the sensor file-watch`);
}

export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
	return work.catch((error: unknown) => {
		if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
		throw error;
	});
}
