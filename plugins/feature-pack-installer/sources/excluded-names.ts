/**
 * Names of files and folders that may be in a pack's directory but do not belong to the pack. They contain the history of a checkout,
 * installed npm packages, virtualenvs, and Python's compiled files.
 */
const names: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "__pycache__"]);

/** Returns true if a path, or a folder that contains it, does not belong to the pack. */
export function isExcluded(path: string): boolean {
	return path.split("/").some((segment) => names.has(segment));
}
