import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { SvcError, toErrorMessage } from "../../../contract/index.ts";

/**
 * Returns the pack directories at a configured path: the path itself if it contains a `pack.yaml`, otherwise its subdirectories that
 * contain one, sorted. Throws `SVC_CONFIG` if the path cannot be read.
 */
export async function findPackDirectories(path: string): Promise<string[]> {
	const directory = resolve(path);
	const names = await listDirectory(directory);
	if (names.includes("pack.yaml")) return [directory];
	const candidates = names.sort().map((name) => join(directory, name));
	const found = await Promise.all(candidates.map(hasManifest));
	return candidates.filter((_, index) => found[index]);
}

/** Returns true if a directory contains a `pack.yaml`. False for files and unreadable directories. */
async function hasManifest(directory: string): Promise<boolean> {
	try {
		return (await readdir(directory)).includes("pack.yaml");
	} catch {
		return false;
	}
}

async function listDirectory(directory: string): Promise<string[]> {
	try {
		return await readdir(directory);
	} catch (error) {
		throw new SvcError("SVC_CONFIG", `packs: "${directory}" cannot be read: ${toErrorMessage(error)}`, { cause: error });
	}
}
