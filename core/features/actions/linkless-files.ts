import { existsSync } from "node:fs";
import { constants, type FileHandle, lstat, mkdir, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "../../contract/index.ts";

/** A file below a directory, and how messages name it. */
export interface LinklessFile {
	/** Absolute; it may be a link itself, as the operator has set it up. Nothing below it is followed. */
	readonly root: string;
	/** Below it, parted by `/`, without `.` and `..`. */
	readonly path: string;
	/** Of the request. */
	readonly field: string;
}

/** Where open directories have names that stay right whatever happens to their paths. */
const handles = "/proc/self/fd";

const readDirectory = constants.O_RDONLY | constants.O_DIRECTORY;

/**
 * Write a file, making directories as needed. A link on the way, or in its place, is refused with `SVC_INVALID`: it could lead
 * anywhere, and a dangling one would make a file there. Each directory is opened from the one before, so that none can be
 * replaced by a link between the look and the use.
 *
 * @param mode of the file; default 0644 for a new one, and unchanged for one that is there
 */
export async function writeLinkless(file: LinklessFile, content: string | Uint8Array, mode?: number): Promise<void> {
	await inParent(file, { create: true }, async (place) => {
		// Not truncated before it is known what it is; a pipe nobody reads from would keep the open waiting.
		const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
		const handle = await open(place, flags, mode ?? 0o644);
		try {
			if (!(await handle.stat()).isFile()) throw new SvcError("SVC_INVALID", `${file.field}: "${file.path}" is there, and no file`);
			await handle.truncate(0);
			await handle.writeFile(content);
			if (mode !== undefined) await handle.chmod(mode);
		} finally {
			await handle.close();
		}
	});
}

/** Remove a file, or the link that has its name; nothing when there is none. A link on the way is refused with `SVC_INVALID`. */
export async function removeLinkless(file: LinklessFile): Promise<void> {
	await inParent(file, { create: false }, unlink).catch((error: unknown) => {
		if (codeOf(error) !== "ENOENT") throw error;
	});
}

/** Whether something has the name of the file, be it a link that leads nowhere. */
export async function isTaken({ root, path }: Pick<LinklessFile, "root" | "path">): Promise<boolean> {
	return lstat(join(root, path)).then(
		() => true,
		() => false,
	);
}

/** Work with a name that leads to the file from its own directory. */
async function inParent(
	{ root, path, field }: LinklessFile,
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

interface OpenDirectory {
	readonly handle: FileHandle;
	readonly place: string;
}

async function openDirectory(path: string, flags: number): Promise<OpenDirectory> {
	const handle = await open(path, flags);
	// Elsewhere the path has to do: each part of it was looked at, only not at once.
	return { handle, place: existsSync(handles) ? `${handles}/${handle.fd}` : path };
}

function unlessThere(error: unknown): void {
	if (codeOf(error) !== "EEXIST") throw error;
}

function toRefusal(error: unknown, field: string, path: string): unknown {
	switch (codeOf(error)) {
		case "ELOOP":
		case "ENOTDIR":
			return new SvcError("SVC_INVALID", `${field}: "${path}" leads over a link or a file`, { cause: error });
		case "EISDIR":
		case "ENXIO":
			return new SvcError("SVC_INVALID", `${field}: "${path}" is there, and no file`, { cause: error });
		case "EACCES":
		case "EPERM":
		case "EROFS":
			return new SvcError("SVC_FORBIDDEN", `${field}: "${path}" can neither be written nor removed by the service`, { cause: error });
		default:
			return error;
	}
}

function codeOf(error: unknown): unknown {
	return error instanceof Error && "code" in error ? error.code : undefined;
}
