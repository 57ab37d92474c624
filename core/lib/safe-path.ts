import { isAbsolute, join, resolve, sep } from "node:path";
import { SvcError } from "../contract/index.ts";

/** Absolute path of `file` below `directory`; `SVC_INVALID` naming `field` when it leaves it. */
export function resolveInside(directory: string, file: string, field: string): string {
	const path = resolve(directory, file);
	if (file === "" || file.includes("\0") || isAbsolute(file) || !path.startsWith(directory + sep)) {
		throw new SvcError("SVC_INVALID", `${field}: "${file}" must be a relative path that stays below the pack's actions directory`);
	}
	return path;
}

/** Directory of a pack's actions. */
export function toActionsDirectory(packDirectory: string): string {
	return join(packDirectory, "actions");
}
