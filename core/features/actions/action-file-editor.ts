import { lstat } from "node:fs/promises";
import { hostname } from "node:os";
import { join, posix } from "node:path";
import { type ActionEntity, SvcError } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Dispatcher, EventDraft } from "../../kernel/events/event-dispatcher-api.ts";
import type { ActionCatalog } from "../../kernel/executions/action-catalog.ts";
import { resolveInside, toActionsDirectory } from "../../lib/safe-path.ts";
import type { Access } from "../access/access-exports.ts";
import { resolveEntryPoint } from "../packs/entry-point-exports.ts";
import { cloneFiles, toClonedPaths } from "./action-clone.ts";
import { ActionFilePermissions, type FileSubject, toEntryPath } from "./action-file-permissions.ts";
import { assertMetadataPath, type DataFile, readInside, toDataPath } from "./action-files.ts";
import { fileWritten } from "./file-written-trigger.ts";
import { pathExists, removeSymlinkSafe, writeSymlinkSafe } from "./symlink-safe-files.ts";

interface ActionFileWorkDependencies extends Uses<"storage"> {
	readonly access: Pick<Access, "allows" | "assert">;
	readonly catalog: Pick<ActionCatalog, "packDirectory">;
	/** Creates the events for files that are written. */
	readonly draft: Dispatcher["draft"];
}

/** A change of an action: its new fields and the stored record. */
export interface ActionChange {
	readonly fields: Omit<ActionEntity, "id">;
	readonly stored?: ActionEntity | undefined;
	/** Undefined if the embedding program itself makes the change. */
	readonly principal: Principal | undefined;
}

/** Reads and changes the files of actions. Each change is checked against the permissions of the principal that requests it. */
export class ActionFileEditor {
	readonly #parts: ActionFileWorkDependencies;
	readonly #rights: ActionFilePermissions;

	constructor(parts: ActionFileWorkDependencies) {
		this.#parts = parts;
		this.#rights = new ActionFilePermissions(parts);
	}

	/**
	 * Checks that the principal may use the entry point and the metadata file of the change, then writes the data files.
	 * Returns the events of the written files, to be stored together with the action.
	 */
	async write(change: ActionChange, files: readonly DataFile[] = []): Promise<readonly EventDraft[]> {
		const { fields } = change;
		const subject = await this.#toSubject(change);
		const paths = files.map(toDataPath);
		await this.#rights.assertMayName(subject, fields);
		await assertNoWayOut(subject, fields);
		if (files.length === 0) return [];
		const packDirectory = await assertActionsDirectory(subject.packDirectory, fields.pack, "data_files");
		await this.#rights.assertMayWrite(subject, paths);
		await this.#assertWritable(fields.pack, "data_files");
		for (const file of files)
			await writeSymlinkSafe({ root: packDirectory, path: toDataPath(file), field: "data_files.file_path" }, file.content);
		return this.#draftEvents(fields.ref, packDirectory, paths);
	}

	/** Removes the entry point and the metadata file of an action. */
	async remove(action: ActionEntity, principal: Principal | undefined): Promise<void> {
		const subject = await this.#toSubject({ fields: action, stored: action, principal });
		if (subject.packDirectory === undefined) return;
		const paths = action.entry_point === "" ? [] : [toDataPath({ file_path: action.entry_point, content: "" })];
		if (action.metadata_file !== null) {
			// An older version may have accepted a path that is not a metadata file.
			assertMetadataPath(action.metadata_file);
			paths.push(action.metadata_file);
		}
		await this.#rights.assertMayRemove(subject, paths);
		if (paths.length > 0) await this.#assertWritable(action.pack, "remove_files");
		for (const path of paths) await removeSymlinkSafe({ root: subject.packDirectory, path, field: "remove_files" });
	}

	/** Copies the files of an action to the pack and the paths that the change names. */
	async clone(source: ActionEntity, change: ActionChange): Promise<void> {
		const { fields } = change;
		const subject = await this.#toSubject(change);
		const { packDirectory } = subject;
		if (packDirectory === undefined) throw new SvcError("SVC_INVALID", `dest_pack: pack "${fields.pack}" has no directory on disk`);
		await this.#rights.assertMayName(subject, fields);
		await this.#rights.assertMayReplace(subject, toClonedPaths(fields));
		await this.#assertWritable(fields.pack, "dest_pack");
		const sourceDirectory = await this.#parts.catalog.packDirectory(source.pack, source.content);
		await cloneFiles({ source, sourceDirectory, target: fields, targetDirectory: packDirectory });
	}

	/** Returns the content of an action's entry point. Returns undefined if the action has no readable entry point. */
	async readEntryPoint(action: ActionEntity): Promise<string | undefined> {
		const directory = await this.#parts.catalog.packDirectory(action.pack, action.content);
		if (action.entry_point === "" || directory === undefined) return undefined;
		const file = await readInside(toActionsDirectory(directory), action.entry_point, "entry_point");
		return file?.content.toString("utf8");
	}

	async #toSubject({ fields, stored, principal }: ActionChange): Promise<FileSubject> {
		const packDirectory = await this.#parts.catalog.packDirectory(fields.pack);
		return { principal, pack: fields.pack, name: fields.name, stored, packDirectory };
	}

	/**
	 * Throws `SVC_INVALID` for an installed pack. Its files must be identical on every node, and for every execution that began with them.
	 */
	async #assertWritable(pack: string, field: string): Promise<void> {
		const [found] = await this.#parts.storage.find("pack", { where: { ref: pack }, fields: ["content"], limit: 1 });
		if ((found?.content ?? null) === null) return;
		throw new SvcError("SVC_INVALID", `${field}: pack "${pack}" is an installed pack: its files change only with its version`);
	}

	async #draftEvents(ref: string, packDirectory: string, paths: readonly string[]): Promise<readonly EventDraft[]> {
		const host_info = { hostname: hostname(), pid: process.pid };
		const drafts: EventDraft[] = [];
		for (const path of paths) {
			const payload = { ref, file_path: join(packDirectory, path), host_info };
			const draft = await this.#parts.draft({ trigger: fileWritten, payload });
			if (draft !== undefined) drafts.push(draft);
		}
		return drafts;
	}
}

/**
 * Returns the files that a request names as the action's own, with normalized paths.
 * Throws `SVC_INVALID` for a path outside the allowed directory.
 */
export function toNamedFiles({ entry_point = "", metadata_file = "" }: { readonly entry_point?: string; readonly metadata_file?: string }) {
	if (entry_point !== "") resolveInside("/actions", entry_point, "entry_point");
	if (metadata_file !== "") assertMetadataPath(metadata_file);
	return {
		// Two spellings of one file must not count as two files.
		entry_point: entry_point === "" ? "" : posix.relative("actions", toEntryPath(entry_point)),
		metadata_file: metadata_file || null,
	};
}

/** Throws `SVC_INVALID` if an existing entry point is a link that leads out of the pack's actions directory. */
async function assertNoWayOut({ packDirectory, stored }: FileSubject, { entry_point }: ActionChange["fields"]): Promise<void> {
	if (packDirectory === undefined || entry_point === "" || entry_point === stored?.entry_point) return;
	if (await pathExists({ root: packDirectory, path: toEntryPath(entry_point) })) await resolveEntryPoint(packDirectory, entry_point);
}

async function assertActionsDirectory(packDirectory: string | undefined, pack: string, field: string): Promise<string> {
	const entry = packDirectory === undefined ? undefined : await lstat(toActionsDirectory(packDirectory)).catch(() => undefined);
	if (packDirectory !== undefined && entry?.isDirectory() === true) return packDirectory;
	throw new SvcError("SVC_INVALID", `${field}: pack "${pack}" has no actions directory on disk`);
}
