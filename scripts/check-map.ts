import { existsSync, readdirSync, readFileSync } from "node:fs";
import { findFiles } from "./find-files.ts";

/** The map of the folders. */
const map = "CONTRIBUTING.md";
/** Folders at the top that are the project's own: paths that begin with one of them lead to something. */
const roots = ["core", "plugins", "plugins-auth", "plugins-runner", "docs", "examples", "scripts", "bench"];

/** What the pages that explain the code name and is not there, and folders that have no place in the map. */
export function checkMap(): Promise<string[]> {
	const pages = [map, ...findFiles(["docs/explanation"], (file) => file.endsWith(".md"))];
	const folders = [...roots, ...foldersOf("core"), ...foldersOf("core").flatMap(foldersOf)];
	return Promise.resolve([
		...pages.flatMap((page) => findGone(page, readFileSync(page, "utf8"), existsSync)),
		...findUnmapped(folders, readFileSync(map, "utf8")),
	]);
}

/** Paths in code spans that lead nowhere. What stands for many, as `core/x/<name>.ts` does, is no path. */
export function findGone(page: string, text: string, exists: (path: string) => boolean): string[] {
	const prose = text.replace(/^```.*?^```$/gms, "");
	const spans = [...prose.matchAll(/`([^`\s]+)`/g)].map(([, span = ""]) => span);
	const paths = spans.filter((span) => /^[\w./-]+$/.test(span) && roots.includes(span.split("/", 1)[0] ?? ""));
	return [...new Set(paths)].filter((path) => !exists(path)).map((path) => `${page} names ${path}, which is not there`);
}

/** Folders that have no line in a table of the map. */
export function findUnmapped(folders: readonly string[], text: string): string[] {
	const cells = [...text.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = ""]) => cell.split(", "));
	return folders.filter((folder) => !cells.includes(`\`${folder}\``)).map((folder) => `${map} has no line for the folder ${folder}`);
}

function foldersOf(parent: string): string[] {
	return readdirSync(parent, { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map(({ name }) => `${parent}/${name}`);
}
