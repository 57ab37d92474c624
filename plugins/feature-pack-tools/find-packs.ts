import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { SvcError } from "../../core/contract/index.ts";
import { findPackDirectories } from "../../core/feature.ts";

/**
 * Returns the directories of packs for the given paths. A path is a directory with a `pack.yaml`, or one that contains such directories.
 * Throws `SVC_INVALID` for a path without packs.
 */
export async function findPacks(given: readonly string[]): Promise<readonly string[]> {
	const found: string[] = [];
	for (const path of given) {
		const directory = resolve(path);
		if (!existsSync(directory) || !statSync(directory).isDirectory()) throw new SvcError("SVC_INVALID", `"${path}" is not a directory`);
		const packs = existsSync(join(directory, "pack.yaml")) ? [directory] : await findPackDirectories(directory);
		if (packs.length === 0) throw new SvcError("SVC_INVALID", `"${path}" is not a pack and contains no packs: a pack has a file pack.yaml`);
		found.push(...packs);
	}
	return [...new Set(found)];
}
