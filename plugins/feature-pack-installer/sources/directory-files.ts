import { constants, type Dirent } from "node:fs";
import { type FileHandle, open, opendir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { Ignore } from "ignore";
import ignore from "ignore";
import { isExcluded } from "./excluded-names.ts";
import { quote, refused } from "./pack-path.ts";
import type { UntrustedTree } from "./untrusted-tree.ts";

const setIdBits = 0o6000;
const maxIgnoreFileBytes = 100_000;
const maxNamedPaths = 10;

/** Copies the files below a directory into a tree, without those that its `.gitignore` files ignore, and reports these with `emit`. */
export async function readDirectory(root: string, tree: UntrustedTree, emit: (line: string) => void): Promise<void> {
	const rules = new IgnoreRules();
	const ignoredPaths: string[] = [];
	const folders = [""];
	for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
		const entries = await sortedEntries(join(root, folder));
		// Skip virtualenvs under any folder name; their links lead out of the pack.
		if (folder !== "" && entries.some(({ name }) => name === "pyvenv.cfg")) continue;
		if (folder !== "") await tree.addDirectory(folder);
		// Git does not follow a `.gitignore` that is a link.
		if (entries.some((entry) => entry.name === ".gitignore" && entry.isFile())) rules.add(folder, await readIgnoreFile(root, folder));
		for (const entry of entries) {
			const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
			if (isExcluded(path)) continue;
			if (rules.ignores(path, entry.isDirectory())) ignoredPaths.push(path);
			else if (entry.isDirectory()) folders.push(path);
			else if (entry.isSymbolicLink()) await tree.addLink(path, await readlink(join(root, path)));
			else if (entry.isFile()) await addFile(tree, root, path);
			else throw refused(path, "is not a regular file, directory or link");
		}
	}
	if (ignoredPaths.length === 0) return;
	const more = ignoredPaths.length > maxNamedPaths ? ` and ${ignoredPaths.length - maxNamedPaths} more` : "";
	emit(`excluded by .gitignore: ${ignoredPaths.slice(0, maxNamedPaths).map(quote).join(", ")}${more}`);
}

/** Returns the entries sorted by name, so that the order is the same on all file systems. */
async function sortedEntries(directory: string): Promise<readonly Dirent[]> {
	const entries: Dirent[] = [];
	for await (const entry of await opendir(directory)) entries.push(entry);
	return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function addFile(tree: UntrustedTree, root: string, path: string): Promise<void> {
	const file = await openFile(root, path);
	try {
		const { mode, size } = await file.stat();
		if ((mode & setIdBits) !== 0) throw refused(path, "must not have the set-user-ID or set-group-ID bit");
		await tree.addFile(path, { isExecutable: (mode & 0o100) !== 0, size }, file.createReadStream({ autoClose: false }));
	} finally {
		await file.close();
	}
}

async function readIgnoreFile(root: string, folder: string): Promise<string> {
	const path = folder === "" ? ".gitignore" : `${folder}/.gitignore`;
	const file = await openFile(root, path);
	try {
		const { size } = await file.stat();
		if (size > maxIgnoreFileBytes) throw refused(path, `has more than ${maxIgnoreFileBytes} bytes`);
		return (await file.readFile()).toString("utf8");
	} finally {
		await file.close();
	}
}

/** Opens a plain file. It may have become a link, or a pipe without a writer, since the folder was listed. */
async function openFile(root: string, path: string): Promise<FileHandle> {
	const file = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	if ((await file.stat()).isFile()) return file;
	await file.close();
	throw refused(path, "is not a regular file, directory or link");
}

/** The `.gitignore` files of a directory. A folder must be added before the folders below it, so that the rules of the inner file win. */
class IgnoreRules {
	/** Undefined until a rule exists, because most packs have none. */
	#rules: Ignore | undefined;

	/** Adds the lines of the `.gitignore` in `folder`, which is the empty string for the root. */
	add(folder: string, content: string): void {
		const lines = content.replace(/^\uFEFF/, "").split(/\r?\n/);
		this.#rules ??= ignore({ ignorecase: false });
		this.#rules.add(lines.filter((line) => line.trim() !== "" && !line.startsWith("#")).map((line) => toRootRule(folder, line)));
	}

	/** Returns true if the rules ignore the path. */
	ignores(path: string, isDirectory: boolean): boolean {
		return this.#rules?.ignores(isDirectory ? `${path}/` : path) ?? false;
	}
}

/** Rewrites a rule of a folder for the root: a rule without a slash before its end applies at every depth below the folder. */
function toRootRule(folder: string, line: string): string {
	if (folder === "") return line;
	const [negation, rule] = line.startsWith("!") ? ["!", line.slice(1)] : ["", line];
	const isAnchored = /\/(?!\s*$)/.test(rule);
	const base = folder.replace(/[\\*?[\]!# ]/g, "\\$&");
	return `${negation}/${base}/${isAnchored ? rule.replace(/^\//, "") : `**/${rule}`}`;
}
