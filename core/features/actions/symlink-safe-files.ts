import { existsSync } from "node:fs";
import { constants, lstat, mkdir, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "../../contract/index.ts";

/** A file below a directory, and the field of the request that names it. */
export interface SymlinkSafeFile {
	/** Absolute path. The operator may have made it a link; no link below it is followed. */
	readonly root: string;
	/** Path relative to `root`, with `/` as separator, without `.` and `..`. */
	readonly path: string;
	/** Field of the request that error messages name. */
	readonly field: string;
}

/** Directory with a name for each open file descriptor. Such a name stays valid even if the path of the directory changes. */
const handles = "/proc/self/fd";

const readDirectory = constants.O_RDONLY | constants.O_DIRECTORY;

/**
 * Writes a file and creates directories as needed. Throws `SVC_INVALID` if a directory of the path, or the file itself, is a link.
 * A link could lead anywhere, and a dangling one would create a file at its target.
 * Each directory is opened from its parent, so that none can be replaced by a link between the check and the use.
 *
 * @param mode of the file; default 0644 for a new file, unchanged for an existing one
 */
export async function writeSymlinkSafe(file: SymlinkSafeFile, content: string | Uint8Array, mode?: number): Promise<void> {
	await inParent(file, { create: true }, async (place) => {
		// O_TRUNC is not set: the file is truncated only after its type is checked.
		// O_NONBLOCK is set because opening a pipe without a reader would otherwise block.
		const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
		const handle = await open(place, flags, mode ?? 0o644);
		try {
			if (!(await handle.stat()).isFile()) throw new SvcError("SVC_INVALID", `${file.field}: "${file.path}" exists and is not a file`);
			await handle.truncate(0);
			await handle.writeFile(content);
			if (mode !== undefined) await handle.chmod(mode);
		} finally {
			await handle.close();
		}
	});
}

/** Removes a file or a link. Does nothing if it does not exist. Throws `SVC_INVALID` if a directory of the path is a link. */
export async function removeSymlinkSafe(file: SymlinkSafeFile): Promise<void> {
	await inParent(file, { create: false }, unlink).catch((error: unknown) => {
		if (codeOf(error) !== "ENOENT") throw error;
	});
}

/** Returns true if the path exists, even as a dangling link. Any error counts as absent. */
export async function pathExists({ root, path }: Pick<SymlinkSafeFile, "root" | "path">): Promise<boolean> {
	return lstat(join(root, path)).then(
		() => true,
		() => false,
	);
}

/** Opens the directories of the path one after another, and calls `work` with a path to the file through its open directory. */
async function inParent(
	{ root, path, field }: SymlinkSafeFile,
	{ create }: { readonly create: boolean },
	work: (place: string) => Promise<void>,
): Promise<void> {
	const names = path.split("/");
	const last = names.pop() ?? "";
	let directory = await openDirectory(root, readDirectory);
	try {
		for (const name of names) {
			const next = `${directory.place}/${name}`;
			if (create) await mkdir(next).catch(unlessThere);
			const opened = await openDirectory(next, readDirectory | constants.O_NOFOLLOW);
			await directory.handle.close();
			directory = opened;
		}
		await work(`${directory.place}/${last}`);
	} catch (error) {
		throw toRefusal(error, field, path);
	} finally {
		await directory.handle.close();
	}
}

async function openDirectory(path: string, flags: number) {
	const handle = await open(path, flags);
	// On systems without /proc, use the path. Each of its segments was checked, but a segment can be replaced after its check.
	return { handle, place: existsSync(handles) ? `${handles}/${handle.fd}` : path };
}

function unlessThere(error: unknown): void {
	if (codeOf(error) !== "EEXIST") throw error;
}

function toRefusal(error: unknown, field: string, path: string): unknown {
	switch (codeOf(error)) {
		case "ELOOP":
		case "ENOTDIR":
			return new SvcError("SVC_INVALID", `${field}: "${path}" leads through a link or a file`, { cause: error });
		case "EISDIR":
		case "ENXIO":
			return new SvcError("SVC_INVALID", `${field}: "${path}" exists and is not a file`, { cause: error });
		case "EACCES":
		case "EPERM":
		case "EROFS":
			return new SvcError("SVC_FORBIDDEN", `${field}: "${path}" cannot be written or deleted by the service`, { cause: error });
		default:
			return error;
	}
}

function codeOf(error: unknown): unknown {
	return error instanceof Error && "code" in error ? error.code : undefined;
}
