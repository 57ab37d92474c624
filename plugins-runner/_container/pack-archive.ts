import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { SvcError } from "../../core/contract/index.ts";
import type { ArchiveEntry } from "./archive.ts";

/** Maximum bytes of a pack's files in a container; the archive is built in memory. */
const maxPackSize = 64 * 1024 * 1024;

/**
 * Returns the files of a pack as archive entries in the directory `below`, without the `.git` directory. Every user in the container may
 * read them.
 */
export async function toPackEntries(directory: string, below: string): Promise<ArchiveEntry[]> {
	const entries: ArchiveEntry[] = [{ path: below, mode: 0o755 }];
	let bytes = 0;
	const add = async (from: string): Promise<void> => {
		for (const file of await readdir(from, { withFileTypes: true })) {
			if (file.name === ".git") continue;
			const source = join(from, file.name);
			const path = join(below, relative(directory, source));
			if (file.isDirectory()) {
				entries.push({ path, mode: 0o755 });
				await add(source);
			} else if (file.isSymbolicLink()) entries.push({ path, mode: 0o777, link: await readlink(source) });
			else if (file.isFile()) {
				const { mode, size } = await stat(source);
				bytes += size;
				if (bytes > maxPackSize)
					throw new SvcError("SVC_RUNNER", `the pack has more than ${maxPackSize / 1024 / 1024} MiB, the limit for containers`);
				entries.push({ path, mode: (mode & 0o111) === 0 ? 0o444 : 0o555, content: await readFile(source) });
			}
		}
	};
	await add(directory);
	return entries;
}
