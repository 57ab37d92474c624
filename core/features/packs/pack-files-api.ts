import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type DialectKind, isSvcError, type JsonObject, type Logger, SvcError, toErrorMessage } from "../../contract/index.ts";
import { type Attribute, text } from "../../language/attributes.ts";
import type { Dialects } from "../../language/dialects.ts";
import type { PackDirectory } from "./packs-api.ts";
import type { PackProblem } from "./read-pack-directory.ts";
import { readYamlObject } from "./read-yaml.ts";

/** Where in the packs a file lies. */
export interface Place {
	readonly pack: string;
	/** Path in the pack. */
	readonly file: string;
}

/** Files of one kind that packs may hold, for the feature that the records belong to which the files describe. */
export interface PackFiles<Input> {
	/** What dialects call what they describe. */
	readonly kind: DialectKind;
	/** Folder of a pack that they lie in. */
	readonly folder: string;
	/** What a file says. `SVC_INVALID` names the attribute and what is allowed. */
	toInput(metadata: JsonObject, place: Place): Input;
	/** Make the record, or make it say what its file does. */
	register(input: Input): Promise<void>;
}

/** Attributes that are set by the service; a file that was written by it may hold them. */
export const ownAttributes: Readonly<Record<string, Attribute>> = { id: text, uid: text, ref: text, metadata_file: text };

/** A pack describes what is its own. */
export function checkPack(metadata: JsonObject, pack: string): void {
	if ((metadata["pack"] ?? pack) !== pack)
		throw new SvcError("SVC_INVALID", `attribute "pack" must be "${pack}", the pack the file lies in`);
}

/** Null stands for a missing attribute. */
export function withoutNull(values: JsonObject): JsonObject {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** Make the records of a kind say what the files of packs say. Each bad file is a line in the log, and the others go on. */
export async function registerFiles<Input>(
	{ logger, dialects }: { readonly logger: Logger; readonly dialects: Dialects },
	packs: readonly PackDirectory[],
	files: PackFiles<Input>,
): Promise<void> {
	const skip = (problem: PackProblem) => logger.warn("pack content was skipped", { problem });
	for (const { file, input } of await readFiles(packs, withDialects(files, dialects), skip)) {
		try {
			await files.register(input);
		} catch (error) {
			// The start is tried again then; and another node that starts at the same time has made the same record.
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			if (!isSvcError(error, "SVC_CONFLICT")) skip({ file, message: toErrorMessage(error) });
		}
	}
}

/** Files that may say things in the words of other services. */
function withDialects<Input>(files: PackFiles<Input>, dialects: Dialects): PackFiles<Input> {
	return { ...files, toInput: (metadata, place) => files.toInput(dialects.translate(files.kind, metadata), place) };
}

/** All of them before the first is registered: what is wrong with files is known where the storage refuses one, too. */
async function readFiles<Input>(
	packs: readonly PackDirectory[],
	{ folder, toInput }: PackFiles<Input>,
	skip: (problem: PackProblem) => void,
): Promise<readonly { readonly file: string; readonly input: Input }[]> {
	const found: { file: string; input: Input }[] = [];
	for (const { ref, path } of packs) {
		for (const name of await listFiles(join(path, folder))) {
			const file = join(path, folder, name);
			try {
				found.push({ file, input: toInput(await readYamlObject(file), { pack: ref, file: `${folder}/${name}` }) });
			} catch (error) {
				skip({ file, message: toErrorMessage(error) });
			}
		}
	}
	return found;
}

/** Files with metadata in a folder of a pack, by name; none when there is no such folder. */
async function listFiles(directory: string): Promise<string[]> {
	const entries = await readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return [];
		throw error;
	});
	const names = entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
	return names.filter((name) => /\.ya?ml$/.test(name) && !name.startsWith(".")).sort();
}
