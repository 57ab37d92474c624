/**
 * Names of files beside a pack's own that do not belong to it: the history of a checkout, installed npm packages, virtualenvs, and Python's
 * compiled files.
 */
const names: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "__pycache__"]);

/** Whether a path, or a folder it lies in, is left out. */
export function isLeftOut(path: string): boolean {
	return path.split("/").some((segment) => names.has(segment));
}
