import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Maximum number of paths in a pack record. */
const maxListed = 1_000;
/** Maximum number of folders that are read. */
const maxFolders = 2_000;
/** Folders created by git and Python, which are not part of a pack. */
const passedOver: ReadonlySet<string> = new Set([".git", "__pycache__"]);

/**
 * Returns the paths of the plain files in a pack directory, outer folders first. Returns at most 1,000 paths, because a directory may
 * contain any number of files. Does not follow links.
 */
export async function listPackFiles(directory: string): Promise<readonly string[]> {
	const paths: string[] = [];
	const folders = [""];
	for (let next = 0; next < Math.min(folders.length, maxFolders) && paths.length < maxListed; next += 1) {
		const folder = folders[next] ?? "";
		const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch(() => []);
		for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
			const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
			if (entry.isFile()) paths.push(path);
			else if (entry.isDirectory() && !passedOver.has(entry.name)) folders.push(path);
		}
	}
	return paths.slice(0, maxListed);
}

/**
 * Returns the names of the metadata files directly in a folder, sorted: subfolders contain workflows and libraries. Returns none if the
 * folder does not exist.
 */
export async function listMetadataFiles(folder: string): Promise<readonly string[]> {
	const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return [];
		throw error;
	});
	const names = entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
	return names.filter((name) => /\.ya?ml$/.test(name) && !name.startsWith(".")).sort();
}
