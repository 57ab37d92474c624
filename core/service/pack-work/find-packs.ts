import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { SvcError } from "../../contract/index.ts";
import { findPackDirectories } from "../../features/packs/inspect-pack-api.ts";

/** The packs that somebody names: directories with a `pack.yaml`, or with directories that have one. `SVC_INVALID` names one that has none. */
export async function findPacks(given: readonly string[]): Promise<readonly string[]> {
	const found: string[] = [];
	for (const path of given) {
		const directory = resolve(path);
		if (!existsSync(directory) || !statSync(directory).isDirectory()) throw new SvcError("SVC_INVALID", `"${path}" is no directory`);
		const packs = existsSync(join(directory, "pack.yaml")) ? [directory] : await findPackDirectories(directory);
		if (packs.length === 0) throw new SvcError("SVC_INVALID", `"${path}" is no pack, and holds none: a pack has a file pack.yaml`);
		found.push(...packs);
	}
	return [...new Set(found)];
}
