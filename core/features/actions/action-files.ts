import { constants, open, realpath, stat } from "node:fs/promises";
import { posix, relative, sep } from "node:path";
import { SvcError } from "../../contract/index.ts";
import { resolveInside } from "../../lib/safe-path.ts";
import { isMetadataPath } from "./action-file-permissions.ts";

export interface DataFile {
	readonly file_path: string;
	readonly content: string;
}

/** Throws `SVC_INVALID` unless the path has the form `actions/<name>.yaml` or `.yml`. */
export function assertMetadataPath(file: string): void {
	if (isMetadataPath(file)) return;
	throw new SvcError("SVC_INVALID", `metadata_file: "${file}" must be a file actions/<name>.yaml`);
}

/** Returns the path of a data file relative to the pack's directory. Throws `SVC_INVALID` if it leaves the actions directory. */
export function toDataPath({ file_path }: DataFile): string {
	const path = resolveInside("/actions", file_path, "data_files.file_path");
	return posix.join("actions", path.slice("/actions/".length));
}

/**
 * Returns content and mode of a file below `directory`. Follows links whose target is inside, because packs may contain them.
 * Returns undefined if the file cannot be opened or is not a regular file. Throws `SVC_INVALID` if the path leads out of `directory`.
 */
export async function readInside(directory: string, file: string, field: string) {
	const path = resolveInside(directory, file, field);
	// O_NONBLOCK is needed because opening a pipe that has no writer would otherwise block.
	const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
	if (handle === undefined) return undefined;
	try {
		const opened = await handle.stat();
		// Check the file that was opened: the path may have been changed to lead elsewhere after the open.
		const real = await realpath(path);
		const found = await stat(real);
		if (!real.startsWith((await realpath(directory)) + sep) || found.ino !== opened.ino || found.dev !== opened.dev) {
			throw new SvcError("SVC_INVALID", `${field}: "${relative(directory, path)}" is outside the pack's actions directory`);
		}
		return opened.isFile() ? { content: await handle.readFile(), mode: opened.mode & 0o777 } : undefined;
	} finally {
		await handle.close();
	}
}
