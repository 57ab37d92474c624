import { join, resolve } from "node:path";
import { type ActionEntity, type JsonObject, type PackEntity, SvcError, toErrorMessage } from "../../../contract/index.ts";
import { Dialects } from "../../../language/dialects.ts";
import { resolveEntryPoint } from "../entry-point-exports.ts";
import { toAction } from "./action-metadata.ts";
import { listMetadataFiles, listPackFiles } from "./list-pack-files.ts";
import { assertPlatform, toPack } from "./manifest.ts";
import { readYamlObject } from "./read-yaml.ts";

/** Problem that makes one file of a pack unusable. */
export interface PackProblem {
	/** Absolute path. */
	readonly file: string;
	/** Problem with its attribute or line, without the file. */
	readonly message: string;
}

/** Content of a pack, ready for registration. */
export interface ParsedPack {
	/** The pack. Undefined if `pack.yaml` is invalid; `actions` is then empty. */
	readonly pack: Omit<PackEntity, "id"> | undefined;
	/** Actions, sorted by file name. */
	readonly actions: readonly Omit<ActionEntity, "id">[];
	readonly problems: readonly PackProblem[];
}

/**
 * Reads a pack directory: its `pack.yaml` and the metadata files directly in `actions`. Never rejects because of the content of a pack:
 * each invalid file is returned as a problem. The caller must check runner types.
 *
 * @param ref ref of the pack if the directory name does not give it; a manifest with another ref is a problem
 * @param isInstalled true to accept a pack for other versions of the service, since its installer was informed and confirmed; default false
 */
export async function readPackDirectory(
	path: string,
	dialects: Dialects = Dialects.none,
	{ ref, isInstalled = false }: { readonly ref?: string; readonly isInstalled?: boolean } = {},
): Promise<ParsedPack> {
	const directory = resolve(path);
	const problems: PackProblem[] = [];
	const manifest = join(directory, "pack.yaml");
	const pack = await collect(problems, manifest, async () => {
		const values = dialects.translate("pack", await readYamlObject(manifest));
		const read = toPack(values, directory, ref);
		if (!isInstalled) assertPlatform(values);
		return { ...read, files: await listPackFiles(directory) };
	});
	const actions = new Map<string, Omit<ActionEntity, "id">>();
	const folder = join(directory, "actions");
	const names = pack === undefined ? [] : await collect(problems, folder, () => listMetadataFiles(folder));
	for (const name of names ?? []) {
		// `config.yaml` is a configuration file of old packs, not an action.
		if (name === "config.yaml") continue;
		const file = join(folder, name);
		await collect(problems, file, async () => {
			const metadata = dialects.translate("action", await readYamlObject(file));
			const action = await checkAction(metadata, { directory, pack: pack?.ref ?? "", file: `actions/${name}` });
			const other = actions.get(action.name);
			if (other !== undefined)
				throw new SvcError("SVC_INVALID", `attribute "name" must be unique in the pack; ${other.metadata_file} also has "${action.name}"`);
			actions.set(action.name, action);
		});
	}
	return { pack, actions: [...actions.values()], problems };
}

async function checkAction(
	metadata: JsonObject,
	{ directory, ...place }: { readonly directory: string; readonly pack: string; readonly file: string },
): Promise<Omit<ActionEntity, "id">> {
	const action = toAction(metadata, place);
	if (action.entry_point !== "") await resolveEntryPoint(directory, action.entry_point);
	return action;
}

/** Returns the result of `action`. If it throws, adds a problem of the file and returns undefined. */
async function collect<T>(problems: PackProblem[], file: string, action: () => Promise<T>): Promise<T | undefined> {
	try {
		return await action();
	} catch (error) {
		problems.push({ file, message: toErrorMessage(error) });
		return undefined;
	}
}
