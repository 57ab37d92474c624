import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { SvcError } from "../contract/index.ts";

/**
 * Returns the absolute path of `file` below `directory`. Throws `SVC_INVALID`, which names `field`, if the path leaves the directory.
 */
export function resolveInside(directory: string, file: string, field: string): string {
	const path = resolve(directory, file);
	if (file === "" || file.includes("\0") || isAbsolute(file) || !path.startsWith(directory + sep)) {
		throw new SvcError("SVC_INVALID", `${field}: "${file}" must be a relative path that stays below the pack's actions directory`);
	}
	return path;
}

export function toActionsDirectory(packDirectory: string): string {
	return join(packDirectory, "actions");
}

/** Returns true if a path leads to something below a directory. Does not follow links. */
export function isInside(directory: string, path: string): boolean {
	const way = relative(directory, path);
	return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
