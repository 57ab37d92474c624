import { isMap, stringify } from "yaml";
import { type ActionEntity, SvcError } from "../../contract/index.ts";
import { parseYamlDocument } from "../../language/yaml-document.ts";
import { toActionsDirectory } from "../../lib/safe-path.ts";
import { isMetadataPath, toEntryPath } from "./action-file-permissions.ts";
import { readInside } from "./action-files.ts";
import { pathExists, removeSymlinkSafe, writeSymlinkSafe } from "./symlink-safe-files.ts";

export interface CloneRequest {
	readonly source: ActionEntity;
	readonly sourceDirectory: string | undefined;
	readonly target: Omit<ActionEntity, "id">;
	readonly targetDirectory: string;
}

/**
 * Copies an action's metadata and entry point into another pack, with name, pack and entry_point rewritten.
 * If a step fails, removes the files that earlier steps created.
 */
export async function cloneFiles(request: CloneRequest): Promise<void> {
	const { targetDirectory, target } = request;
	const written: string[] = [];
	const write = async (path: string, content: string | Uint8Array, mode?: number) => {
		const isNew = !(await pathExists({ root: targetDirectory, path }));
		await writeSymlinkSafe({ root: targetDirectory, path, field: "dest_action" }, content, mode);
		if (isNew) written.push(path);
	};
	try {
		const entryPoint = await readEntryPoint(request);
		// Add write permission for the owner. Otherwise a copy from an installed pack would be read-only, as the original is.
		if (entryPoint !== undefined) await write(toEntryPath(target.entry_point), entryPoint.content, entryPoint.mode | 0o600);
		await write(toMetadataPath(target), await createMetadata(request));
	} catch (error) {
		for (const path of written) await removeSymlinkSafe({ root: targetDirectory, path, field: "dest_action" }).catch(() => undefined);
		throw error;
	}
}

/** Returns the paths of the target's files, relative to its pack's directory. */
export function toClonedPaths(target: CloneRequest["target"]): readonly string[] {
	return [...(target.entry_point === "" ? [] : [toEntryPath(target.entry_point)]), toMetadataPath(target)];
}

function toMetadataPath({ name }: CloneRequest["target"]): string {
	return `actions/${name}.yaml`;
}

async function readEntryPoint({ source, sourceDirectory }: CloneRequest) {
	if (source.entry_point === "" || sourceDirectory === undefined) return undefined;
	const file = await readInside(toActionsDirectory(sourceDirectory), source.entry_point, "entry_point");
	if (file === undefined) throw new SvcError("SVC_INVALID", `entry_point: "${source.entry_point}" cannot be read`);
	return file;
}

async function createMetadata({ source, sourceDirectory, target }: CloneRequest): Promise<string> {
	const file = source.metadata_file;
	const isRead = sourceDirectory !== undefined && file !== null && isMetadataPath(file);
	const original = isRead ? await readInside(sourceDirectory, file, "metadata_file") : undefined;
	const { ref: _ref, metadata_file: _file, ...metadata } = target;
	return (original === undefined ? undefined : rewrite(original.content.toString("utf8"), target)) ?? stringify(metadata);
}

/**
 * Returns the source's metadata file with its comments and with the target's name, pack and entry point. Returns undefined if the file is
 * not a valid YAML mapping.
 */
function rewrite(text: string, target: CloneRequest["target"]): string | undefined {
	const { document } = parseYamlDocument(text);
	if (!isMap(document.contents) || document.errors.length > 0) return undefined;
	document.set("name", target.name);
	document.set("pack", target.pack);
	document.set("entry_point", target.entry_point);
	return document.toString();
}
