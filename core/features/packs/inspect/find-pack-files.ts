import { lstat, readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { PackFinding } from "../../../contract/index.ts";
import { findingOf } from "./findings.ts";

/** Maximum number of files of a pack that are inspected. */
const mostFiles = 20_000;
/** Generated folders that are not part of a pack. */
const madeFolders: ReadonlySet<string> = new Set(["__pycache__", "node_modules"]);

export interface FoundFiles {
	/** Sorted paths relative to the pack, separated by `/`. Files and folders whose name begins with a dot are left out. */
	readonly files: readonly string[];
	/** Errors for entries that are neither files nor folders, and for links that lead out of the pack. */
	readonly findings: readonly PackFinding[];
}

/** Returns all files of a pack. Links to folders are not followed: the files of a linked folder inside the pack are listed anyway. */
export async function findPackFiles(directory: string): Promise<FoundFiles> {
	const root = await realpath(directory);
	const files: string[] = [];
	const findings: PackFinding[] = [];
	const folders: string[] = [""];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
		const names = (await readdir(join(root, folder))).sort();
		// Skip virtualenvs under any folder name.
		if (folder !== "" && names.includes("pyvenv.cfg")) continue;
		for (const name of names) {
			if (name.startsWith(".") || madeFolders.has(name)) continue;
			const path = folder === "" ? name : `${folder}/${name}`;
			const information = await lstat(join(root, path));
			if (information.isDirectory()) folders.push(path);
			else if (information.isFile()) files.push(path);
			else if (information.isSymbolicLink()) findings.push(...(await inspectLink(root, path, files)));
			else findings.push(findingOf("error", path, "must be a file or a folder"));
			if (files.length > mostFiles) return { files, findings: [...findings, findingOf("error", "", `holds more than ${mostFiles} files`)] };
		}
	}
	return { files: files.sort(), findings };
}

async function inspectLink(root: string, path: string, files: string[]): Promise<readonly PackFinding[]> {
	const target = await realpath(join(root, path)).catch(() => undefined);
	if (target === undefined) return [findingOf("error", path, "is a link that leads nowhere")];
	if (target !== root && !target.startsWith(root + sep)) return [findingOf("error", path, "is a link that leads out of the pack")];
	if ((await lstat(target)).isFile()) files.push(path);
	return [];
}
