import { readdir } from "node:fs/promises";

/** Most files of a pack that are looked at, and how deep they lie at most. */
const limits = { files: 5_000, depth: 20 };

/** Paths of Python files in a pack or a folder of it, with `/`, sorted. Links are not followed. */
export async function findPythonFiles(directory: string, folder = "", depth = 0): Promise<readonly string[]> {
	const entries = await readdir(`${directory}/${folder}`, { withFileTypes: true }).catch(() => []);
	const found: string[] = [];
	for (const entry of entries) {
		if (entry.name.startsWith(".") || entry.name === "__pycache__" || entry.name === "node_modules") continue;
		const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
		if (entry.isDirectory() && depth < limits.depth) found.push(...(await findPythonFiles(directory, path, depth + 1)));
		else if (entry.isFile() && entry.name.endsWith(".py")) found.push(path);
		if (found.length >= limits.files) break;
	}
	return found.slice(0, limits.files).sort();
}
