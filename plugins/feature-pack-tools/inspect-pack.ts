import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { type JsonObject, type PackFinding, SvcError } from "../../core/contract/index.ts";
import {
	type Dialects,
	type FileReader,
	findingOf,
	inspectConfig,
	inspectFolders,
	inspectManifest,
	type ReadRunnerType,
	sortFindings,
} from "../../core/feature.ts";
import { inspectExtraFiles } from "./inspect-extra-files.ts";

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

/** Maximum number of files of a pack that are inspected. */
const maxFiles = 20_000;
/** Generated folders that are not part of a pack. */
const madeFolders: ReadonlySet<string> = new Set(["__pycache__", "node_modules"]);

interface FoundFiles {
	/** Sorted paths relative to the pack, separated by `/`. Files and folders whose name begins with a dot are left out. */
	readonly files: readonly string[];
	/** Errors for entries that are neither files nor folders, and for links that lead out of the pack. */
	readonly findings: readonly PackFinding[];
}

/** Returns all files of a pack. Links to folders are not followed: the files of a linked folder inside the pack are listed anyway. */
async function findPackFiles(directory: string): Promise<FoundFiles> {
	const root = await realpath(directory);
	const files: string[] = [];
	const findings: PackFinding[] = [];
	const folders: string[] = [""];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
		const names = (await readdir(join(root, folder))).sort();
		// Skip virtualenvs under any folder name.
		if (folder !== "" && names.includes("pyvenv.cfg")) continue;
		for (const name of names) {
			if (name.startsWith(".") || madeFolders.has(name)) continue;
			const path = folder === "" ? name : `${folder}/${name}`;
			const information = await lstat(join(root, path));
			if (information.isDirectory()) folders.push(path);
			else if (information.isFile()) files.push(path);
			else if (information.isSymbolicLink()) findings.push(...(await inspectLink(root, path, files)));
			else findings.push(findingOf("error", path, "must be a file or a directory"));
			if (files.length > maxFiles)
				return { files, findings: [...findings, findingOf("error", "", `contains more than ${maxFiles} files`)] };
		}
	}
	return { files: files.sort(), findings };
}

async function inspectLink(root: string, path: string, files: string[]): Promise<readonly PackFinding[]> {
	const target = await realpath(join(root, path)).catch(() => undefined);
	if (target === undefined) return [findingOf("error", path, "is a link to a path that does not exist")];
	if (target !== root && !target.startsWith(root + sep)) return [findingOf("error", path, "is a link to a path outside the pack")];
	if ((await lstat(target)).isFile()) files.push(path);
	return [];
}
