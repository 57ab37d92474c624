import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ActionEntity, JsonObject, PackEntity } from "../../../contract/index.ts";
import { SvcError, toErrorMessage } from "../../../contract/index.ts";
import { Dialects } from "../../../language/dialects.ts";
import { resolveEntryPoint } from "../entry-point-api.ts";
import { toAction } from "./action-metadata.ts";
import { listPackFiles } from "./list-pack-files.ts";
import { assertPlatform, toPack } from "./manifest.ts";
import { readYamlObject } from "./read-yaml.ts";

/** A file that could not be used, and why. The others are not affected. */
export interface PackProblem {
	/** Absolute path. */
	readonly file: string;
	/** What is wrong, with attribute or line; the file is not repeated in it. */
	readonly message: string;
}

/** What a pack holds, ready to be registered. */
export interface PackContent {
	/** Undefined when `pack.yaml` itself could not be used; there are no actions then. */
	readonly pack: Omit<PackEntity, "id"> | undefined;
	/** In the order of their files' names. */
	readonly actions: readonly Omit<ActionEntity, "id">[];
	readonly problems: readonly PackProblem[];
}

/**
 * Read a pack directory: its `pack.yaml` and the metadata files directly in `actions`. Never rejects for what a pack holds:
 * each bad file is a problem. Runner types are for the caller to check.
 *
 * @param ref what the pack is called where its directory does not say it; one whose manifest has another ref is refused
 * @param isInstalled whoever installed it has been told if it is for other versions of the service, and wanted it. Default false: it is refused
 */
export async function readPackDirectory(
	path: string,
	dialects: Dialects = Dialects.none,
	{ ref, isInstalled = false }: { readonly ref?: string; readonly isInstalled?: boolean } = {},
): Promise<PackContent> {
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
	for (const name of pack === undefined ? [] : await metadataFiles(join(directory, "actions"), problems)) {
		// A configuration of old packs, and no action.
		if (name === "config.yaml") continue;
		const file = join(directory, "actions", name);
		await collect(problems, file, async () => {
			const metadata = dialects.translate("action", await readYamlObject(file));
			const action = await checkAction(metadata, { directory, pack: pack?.ref ?? "", file: `actions/${name}` });
			const other = actions.get(action.name);
			if (other !== undefined)
				throw new SvcError("SVC_INVALID", `attribute "name" must be unique in the pack; ${other.metadata_file} has "${action.name}" too`);
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

/** Files that lie directly in a folder, such as `actions`, where deeper ones are workflows and libraries. */
async function metadataFiles(folder: string, problems: PackProblem[]): Promise<string[]> {
	const names = await collect(problems, folder, async () => {
		const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
			if (error.code === "ENOENT") return [];
			throw error;
		});
		return entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
	});
	return (names ?? []).filter((name) => /\.ya?ml$/.test(name) && !name.startsWith(".")).sort();
}

/** The result of an action; when it throws, a problem with the file and no result. */
async function collect<T>(problems: PackProblem[], file: string, action: () => Promise<T>): Promise<T | undefined> {
	try {
		return await action();
	} catch (error) {
		problems.push({ file, message: toErrorMessage(error) });
		return undefined;
	}
}
