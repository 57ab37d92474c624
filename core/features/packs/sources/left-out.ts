/**
 * What lies beside a pack's files and is no part of it: the history of a checkout, installed npm packages, virtualenvs, and what Python keeps of
 * what it has read.
 */
const names: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "__pycache__"]);

/** Whether a path, or a folder it lies in, is left out. */
export function isLeftOut(path: string): boolean {
	return path.split("/").some((segment) => names.has(segment));
}
