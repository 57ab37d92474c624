import { constants, open, realpath, stat } from "node:fs/promises";
import { posix, relative, sep } from "node:path";
import { SvcError } from "../../contract/index.ts";
import { resolveInside } from "../../lib/safe-path.ts";
import { isMetadataPath } from "./file-rights.ts";
import { removeLinkless, writeLinkless } from "./linkless-files.ts";

export interface DataFile {
	readonly file_path: string;
	readonly content: string;
}

/** `SVC_INVALID` for a metadata file where none may lie. */
export function assertMetadataPath(file: string): void {
	if (isMetadataPath(file)) return;
	throw new SvcError("SVC_INVALID", `metadata_file: "${file}" must be a file actions/<name>.yaml`);
}

/** Path of a data file from the pack's directory; `SVC_INVALID` when it leaves the actions directory. */
export function toDataPath({ file_path }: DataFile): string {
	const path = resolveInside("/actions", file_path, "data_files.file_path");
	return posix.join("actions", path.slice("/actions/".length));
}

/** Write files below a pack's actions directory, making sub-directories as needed and following no link. */
export async function writeDataFiles(packDirectory: string, files: readonly DataFile[]): Promise<void> {
	for (const file of files) {
		await writeLinkless({ root: packDirectory, path: toDataPath(file), field: "data_files.file_path" }, file.content);
	}
}

/** Remove files of a pack that exist, following no link. `SVC_FORBIDDEN` when the system does not allow it. */
export async function removeFiles(packDirectory: string, paths: readonly string[]): Promise<void> {
	for (const path of paths) await removeLinkless({ root: packDirectory, path, field: "remove_files" });
}

/** A file's text with its mode. */
export interface ReadFile {
	readonly content: Buffer;
	readonly mode: number;
}

/**
 * A file below `directory`, or undefined when it is not there. Links are followed as long as they stay inside: packs may have them.
 * `SVC_INVALID` when it leads out.
 */
export async function readInside(directory: string, file: string, field: string): Promise<ReadFile | undefined> {
	const path = resolveInside(directory, file, field);
	// A pipe nobody writes to would keep the open waiting.
	const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
	if (handle === undefined) return undefined;
	try {
		const opened = await handle.stat();
		// What was opened, and not what the path leads to by now.
		const real = await realpath(path);
		const found = await stat(real);
		if (!real.startsWith((await realpath(directory)) + sep) || found.ino !== opened.ino || found.dev !== opened.dev) {
			throw new SvcError("SVC_INVALID", `${field}: "${relative(directory, path)}" leads out of the pack's actions directory`);
		}
		return opened.isFile() ? { content: await handle.readFile(), mode: opened.mode & 0o777 } : undefined;
	} finally {
		await handle.close();
	}
}
