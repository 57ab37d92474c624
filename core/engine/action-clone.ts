import { copyFile, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isMap, parseDocument, stringify } from "yaml";
import { type ActionEntity, SvcError } from "../contract/index.ts";
import { assertRealInside, readTextInside, resolveInside, toActionsDirectory } from "./action-files.ts";

export interface CloneRequest {
	readonly source: ActionEntity;
	readonly sourceDirectory: string | undefined;
	readonly target: Omit<ActionEntity, "id">;
	readonly targetDirectory: string;
}

/**
 * Copy an action's metadata and entry point into another pack, with name, pack and entry_point rewritten. What was written is
 * taken away again when a later step fails.
 */
export async function cloneFiles(request: CloneRequest): Promise<void> {
	const actions = toActionsDirectory(request.targetDirectory);
	const written: string[] = [];
	try {
		await mkdir(actions, { recursive: true });
		await copyEntryPoint(request, actions, written);
		await writeMetadata(request, actions, written);
	} catch (error) {
		await Promise.all(written.map((path) => rm(path, { force: true }).catch(() => undefined)));
		if (isPermissionError(error))
			throw new SvcError("SVC_FORBIDDEN", `dest_pack: files cannot be written below "${request.target.pack}"`, { cause: error });
		throw error;
	}
}

async function copyEntryPoint({ source, sourceDirectory, target }: CloneRequest, actions: string, written: string[]): Promise<void> {
	if (source.entry_point === "" || sourceDirectory === undefined) return;
	const sourceActions = toActionsDirectory(sourceDirectory);
	const from = resolveInside(sourceActions, source.entry_point, "entry_point");
	await assertRealInside(sourceActions, from, "entry_point");
	const to = resolveInside(actions, target.entry_point, "dest_action");
	await assertRealInside(actions, to, "dest_action");
	await mkdir(dirname(to), { recursive: true });
	if (!(await exists(to))) written.push(to);
	await copyFile(from, to);
}

async function writeMetadata({ source, sourceDirectory, target }: CloneRequest, actions: string, written: string[]): Promise<void> {
	const to = resolveInside(actions, `${target.name}.yaml`, "dest_action");
	await assertRealInside(actions, to, "dest_action");
	const original =
		sourceDirectory === undefined || source.metadata_file === null
			? undefined
			: await readTextInside(sourceDirectory, source.metadata_file, "metadata_file");
	if (!(await exists(to))) written.push(to);
	await writeFile(to, (original === undefined ? undefined : rewrite(original, target)) ?? toMetadata(target));
}

/** The author's file, comments included, with the three members that change. Undefined when it holds something else. */
function rewrite(text: string, target: CloneRequest["target"]): string | undefined {
	const document = parseDocument(text);
	if (!isMap(document.contents)) return undefined;
	document.set("name", target.name);
	document.set("pack", target.pack);
	document.set("entry_point", target.entry_point);
	return document.toString();
}

function toMetadata({ ref, metadata_file, ...metadata }: CloneRequest["target"]): string {
	return stringify(metadata);
}

async function exists(path: string): Promise<boolean> {
	return stat(path).then(
		() => true,
		() => false,
	);
}

function isPermissionError(error: unknown): boolean {
	return error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM" || error.code === "EROFS");
}
