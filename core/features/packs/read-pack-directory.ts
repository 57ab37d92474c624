import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ActionEntity, PackEntity } from "../../contract/index.ts";
import { SvcError, toErrorMessage } from "../../contract/index.ts";
import { toAction } from "./action-metadata.ts";
import { resolveEntryPoint } from "./entry-point-api.ts";
import { toPack } from "./manifest.ts";
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
 */
export async function readPackDirectory(path: string): Promise<PackContent> {
	const directory = resolve(path);
	const problems: PackProblem[] = [];
	const manifest = join(directory, "pack.yaml");
	const pack = await collect(problems, manifest, async () => toPack(await readYamlObject(manifest), directory));
	const actions = new Map<string, Omit<ActionEntity, "id">>();
	for (const name of pack === undefined ? [] : await metadataFiles(directory, problems)) {
		const file = join(directory, "actions", name);
		await collect(problems, file, async () => {
			const action = await readAction(directory, name, pack?.ref ?? "");
			const other = actions.get(action.name);
			if (other !== undefined)
				throw new SvcError("SVC_INVALID", `attribute "name" must be unique in the pack; ${other.metadata_file} has "${action.name}" too`);
			actions.set(action.name, action);
		});
	}
	return { pack, actions: [...actions.values()], problems };
}

async function readAction(directory: string, name: string, pack: string): Promise<Omit<ActionEntity, "id">> {
	const action = toAction(await readYamlObject(join(directory, "actions", name)), { pack, file: `actions/${name}` });
	if (action.entry_point !== "") await resolveEntryPoint(directory, action.entry_point);
	return action;
}

/** Files that lie directly in `actions`; deeper ones are workflows and libraries, and `config.yaml` is no action. */
async function metadataFiles(directory: string, problems: PackProblem[]): Promise<string[]> {
	const actions = join(directory, "actions");
	const names = await collect(problems, actions, async () => {
		const entries = await readdir(actions, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
			if (error.code === "ENOENT") return [];
			throw error;
		});
		return entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
	});
	return (names ?? []).filter((name) => /\.ya?ml$/.test(name) && !name.startsWith(".") && name !== "config.yaml").sort();
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
