import { constants, type Dirent } from "node:fs";
import { open, opendir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { isLeftOut } from "./left-out.ts";
import { refused } from "./plain-path.ts";
import type { PlainTree } from "./plain-tree.ts";

const setIdBits = 0o6000;

/** Put the files below a directory into a tree, as they stand there. */
export async function readDirectory(root: string, tree: PlainTree): Promise<void> {
	const folders = [""];
	for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
		const entries = await sortedEntries(join(root, folder));
		// A virtualenv, whatever it is called; its links lead out of the pack.
		if (folder !== "" && entries.some(({ name }) => name === "pyvenv.cfg")) continue;
		if (folder !== "") await tree.addDirectory(folder);
		for (const entry of entries) {
			const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
			if (isLeftOut(path)) continue;
			if (entry.isDirectory()) folders.push(path);
			else if (entry.isSymbolicLink()) await tree.addLink(path, await readlink(join(root, path)));
			else if (entry.isFile()) await addFile(tree, root, path);
			else throw refused(path, "is no plain file, folder or link");
		}
	}
}

/** The same order everywhere. */
async function sortedEntries(directory: string): Promise<readonly Dirent[]> {
	const entries: Dirent[] = [];
	for await (const entry of await opendir(directory)) entries.push(entry);
	return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function addFile(tree: PlainTree, root: string, path: string): Promise<void> {
	// It may have become a link, or a pipe that nobody writes to, since it was listed.
	const file = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	try {
		const { mode, size } = await file.stat();
		if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw refused(path, "is no plain file, folder or link");
		if ((mode & setIdBits) !== 0) throw refused(path, "would run as somebody else (set-user-ID or set-group-ID)");
		await tree.addFile(path, { isExecutable: (mode & 0o100) !== 0, size }, file.createReadStream({ autoClose: false }));
	} finally {
		await file.close();
	}
}
