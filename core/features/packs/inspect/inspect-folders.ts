import type { JsonObject, PackFinding } from "../../../contract/index.ts";
import type { Dialects } from "../../../language/dialects.ts";
import type { FileReader, ReadRunnerType } from "../file-reader-exports.ts";
import { findingOf, locatedFinding } from "./findings.ts";
import { inspectFile } from "./inspect-file.ts";

export interface FoldersOfPack {
	readonly pack: string;
	/** Absolute path of the pack. */
	readonly directory: string;
	/** All files of the pack. */
	readonly files: readonly string[];
	readonly readers: readonly FileReader[];
	readonly runnerTypes: ReadonlyMap<string, ReadRunnerType>;
	readonly dialects: Dialects;
}

const metadataName = /^[^.].*\.ya?ml$/;

/**
 * Returns all errors in the metadata files in the folder of each kind, and a note for each file there that is not read. `metadata` are the
 * contents of the files that are valid YAML, by path.
 */
export async function inspectFolders({ readers, ...pack }: FoldersOfPack) {
	const findings: PackFinding[] = [];
	const metadata = new Map<string, JsonObject>();
	for (const reader of readers) {
		const names = new Map<string, string>();
		for (const file of filesIn(reader.folder, pack.files)) {
			const name = file.slice(reader.folder.length + 1);
			const why = toOther(name, reader);
			if (why !== undefined) {
				findings.push(findingOf("note", file, why));
				continue;
			}
			if (!metadataName.test(name)) continue;
			const place = { ...pack, file };
			const inspected = await inspectFile(place, { ...reader, read: (values) => reader.read(values, place) });
			findings.push(...inspected.findings);
			if (inspected.metadata === undefined || inspected.yaml === undefined) continue;
			metadata.set(file, inspected.metadata);
			const { nameIn = "name" } = reader;
			const own = String(inspected.metadata[nameIn] ?? "");
			const other = own === "" ? undefined : names.get(own);
			const message = `attribute "${nameIn}" must be unique in the pack; ${other} also has "${own}"`;
			if (other !== undefined) findings.push(locatedFinding(file, inspected.yaml, { path: [nameIn], message }));
			else names.set(own, file);
		}
	}
	return { findings, metadata };
}

function toOther(name: string, { others = {}, folder, kind }: FileReader): string | undefined {
	if (Object.hasOwn(others, name)) return others[name];
	// The folder `actions` also contains the files that actions run.
	if (folder === "actions" || metadataName.test(name)) return undefined;
	return /\.json$/.test(name) ? `is ignored: each ${kind.replace("_", " ")} must be a YAML file directly in ${folder}` : undefined;
}

/** Returns the files directly in a folder, without those of its subfolders. */
function filesIn(folder: string, files: readonly string[]): readonly string[] {
	return files.filter((file) => file.startsWith(`${folder}/`) && !file.includes("/", folder.length + 1));
}
