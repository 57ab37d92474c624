import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Paths that the record of a pack has. */
const mostListed = 1_000;
/** Folders that are looked into for them. */
const mostFolders = 2_000;
/** Made by git and Python, and no part of a pack. */
const passedOver: ReadonlySet<string> = new Set([".git", "__pycache__"]);

/**
 * Paths of the plain files in the directory of a pack, those of outer folders first: at most 1,000, as somebody may have put anything
 * there. Links are not followed.
 */
export async function listPackFiles(directory: string): Promise<readonly string[]> {
	const paths: string[] = [];
	const folders = [""];
	for (let next = 0; next < Math.min(folders.length, mostFolders) && paths.length < mostListed; next += 1) {
		const folder = folders[next] ?? "";
		const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch(() => []);
		for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
			const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
			if (entry.isFile()) paths.push(path);
			else if (entry.isDirectory() && !passedOver.has(entry.name)) folders.push(path);
		}
	}
	return paths.slice(0, mostListed);
}
