import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type JsonObject, type PackFinding, SvcError } from "../../contract/index.ts";
import type { Dialects } from "../../language/dialects.ts";
import type { FileReader, ReadRunnerType } from "./file-reader-exports.ts";
import { findPackFiles } from "./inspect/find-pack-files.ts";
import { sortFindings } from "./inspect/findings.ts";
import { inspectConfig } from "./inspect/inspect-config.ts";
import { inspectExtraFiles } from "./inspect/inspect-extra-files.ts";
import { inspectFolders } from "./inspect/inspect-folders.ts";
import { inspectManifest } from "./inspect/inspect-manifest.ts";

export { locateRefused } from "./inspect/explain-refused.ts";
export { findingOf, sortFindings } from "./inspect/findings.ts";
export { LocatedYaml } from "./inspect/located-yaml.ts";
export { toMessagePlace } from "./inspect/message-path.ts";
export { findPackDirectories } from "./reading/find-pack-directories.ts";

/** Content and problems of a pack. */
export interface PackInspection {
	readonly ref: string;
	/** Absolute path. */
	readonly directory: string;
	/** Sorted by file and line. */
	readonly findings: readonly PackFinding[];
	/** Paths of all files, relative to the pack. */
	readonly files: readonly string[];
	/** Content of the metadata files that are valid YAML, by path in the pack. */
	readonly metadata: ReadonlyMap<string, JsonObject>;
}

export interface InspectPackOptions {
	readonly readers: readonly FileReader[];
	readonly runnerTypes: ReadonlyMap<string, ReadRunnerType>;
	readonly dialects: Dialects;
}

/**
 * Finds all problems in the files of a pack with the readers that the service uses. Does not check references to other packs. Throws
 * `SVC_INVALID` if the directory is not a pack.
 */
export async function inspectPack(path: string, { readers, runnerTypes, dialects }: InspectPackOptions): Promise<PackInspection> {
	const directory = resolve(path);
	const manifest = await stat(join(directory, "pack.yaml")).catch(() => undefined);
	if (manifest?.isFile() !== true) throw new SvcError("SVC_INVALID", `"${path}" is not a pack: it has no file pack.yaml`);
	const { files, findings } = await findPackFiles(directory);
	const { ref: pack, findings: ofManifest } = await inspectManifest(directory, dialects);
	const folders = await inspectFolders({ pack, directory, files, readers, runnerTypes, dialects });
	const { metadata } = folders;
	const all = [
		...findings,
		...ofManifest,
		...folders.findings,
		...(await inspectConfig({ pack, directory, files, dialects })),
		...(await inspectExtraFiles({ directory, files, readers, metadata })),
	];
	return { ref: pack, directory, findings: sortFindings(all), files, metadata };
}
