import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { SvcError } from "../contract/index.ts";

/** Absolute path of `file` below `directory`; `SVC_INVALID` naming `field` when it leaves it. */
export function resolveInside(directory: string, file: string, field: string): string {
	const path = resolve(directory, file);
	if (file === "" || file.includes("\0") || isAbsolute(file) || !path.startsWith(directory + sep)) {
		throw new SvcError("SVC_INVALID", `${field}: "${file}" must be a relative path that stays below the pack's actions directory`);
	}
	return path;
}

/** Refuse a path whose existing part leads out of `directory` through a link. */
export async function assertRealInside(directory: string, path: string, field: string): Promise<void> {
	const root = await realpath(directory);
	for (let part = path; part.length >= directory.length; part = dirname(part)) {
		const real = await realpath(part).catch(() => undefined);
		if (real === undefined) continue;
		if (real === root || real.startsWith(root + sep)) return;
		throw new SvcError("SVC_INVALID", `${field}: "${relative(directory, path)}" leads out of the pack's actions directory`);
	}
}

/** Write files below a pack's actions directory, making sub-directories as needed. */
export async function writeDataFiles(
	actionsDirectory: string,
	files: readonly { readonly file_path: string; readonly content: string }[],
): Promise<void> {
	const targets = files.map((file) => ({
		path: resolveInside(actionsDirectory, file.file_path, "data_files.file_path"),
		content: file.content,
	}));
	for (const { path } of targets) await assertRealInside(actionsDirectory, path, "data_files.file_path");
	for (const { path, content } of targets) {
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, content, { mode: 0o644 });
	}
}

/** Remove files of a pack that exist. `SVC_FORBIDDEN` when the system does not allow it. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
	for (const path of paths) {
		try {
			await rm(path, { force: true });
		} catch (error) {
			throw new SvcError("SVC_FORBIDDEN", `remove_files: "${path}" cannot be removed`, { cause: error });
		}
	}
}

/** Text of a file below `directory`, or undefined when it is not there. */
export async function readTextInside(directory: string, file: string, field: string): Promise<string | undefined> {
	const path = resolveInside(directory, file, field);
	await assertRealInside(directory, path, field);
	return readFile(path, "utf8").catch(() => undefined);
}

/** Directory of a pack's actions. */
export function toActionsDirectory(packDirectory: string): string {
	return join(packDirectory, "actions");
}
