import { posix } from "node:path";
import type { ActionEntity, Storage } from "../../contract/index.ts";
import type { PermissionType } from "../../kernel/basics/permission-types.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Access } from "../access/access-api.ts";
import { isTaken } from "./linkless-files.ts";

/** An action whose files are concerned, and who asks. */
export interface FileSubject {
	/** Undefined: the program that the engine is part of, which may do everything. */
	readonly principal: Principal | undefined;
	readonly pack: string;
	readonly name: string;
	/** The action as it is stored, when it is. */
	readonly stored?: ActionEntity | undefined;
	/** Undefined when the pack has none. */
	readonly packDirectory: string | undefined;
}

type NamedFiles = Pick<ActionEntity, "entry_point" | "metadata_file">;

/** Metadata files lie directly in `actions`, where the registration of packs looks for them. */
export function isMetadataPath(path: string): boolean {
	return /^actions\/[^/]+\.ya?ml$/.test(path) && !path.includes("\0");
}

/** Path of an entry point, from the pack's directory. */
export function toEntryPath(entryPoint: string): string {
	return posix.join("actions", entryPoint);
}

/**
 * What of a pack's files somebody may touch who has rights on one of its actions: that action's own entry point, and no more. A file
 * that another action names, metadata, which says what other actions are, and whatever else lies in the pack need rights on the pack.
 */
export class FileRights {
	readonly #storage: Storage;
	readonly #access: Pick<Access, "allows" | "assert">;

	constructor({ storage, access }: { readonly storage: Storage; readonly access: Pick<Access, "allows" | "assert"> }) {
		this.#storage = storage;
		this.#access = access;
	}

	/** To name a file as one's own. Otherwise one could name another action's first, and overwrite or remove it then. */
	async assertMayName(subject: FileSubject, { entry_point, metadata_file }: NamedFiles): Promise<void> {
		const known = new Set(this.#filesOf(subject.stored, subject.pack));
		for (const path of toPaths({ entry_point, metadata_file })) {
			if (!known.has(path) && !(await this.#isNewOwn(subject, path))) this.#assertOnPack(subject, ["action_create", "action_modify"]);
		}
	}

	/** To write files. */
	async assertMayWrite(subject: FileSubject, paths: readonly string[]): Promise<void> {
		for (const path of paths) {
			if (!(await this.#isOwnEntryPoint(subject, path))) await this.#assertWriting(subject, path);
		}
	}

	/** To write files that are all of an action, metadata included: for a copy, whose metadata says what the copy is. */
	async assertMayReplace(subject: FileSubject, paths: readonly string[]): Promise<void> {
		const known = this.#filesOf(subject.stored, subject.pack);
		for (const path of paths) {
			const isOwn = known.includes(path) && !(await this.#isOfOthers(subject, path));
			if (!isOwn && !(await this.#isNewOwn(subject, path))) await this.#assertWriting(subject, path);
		}
	}

	/** To remove files that the stored action names. */
	async assertMayRemove(subject: FileSubject, paths: readonly string[]): Promise<void> {
		for (const path of paths) if (await this.#isOfOthers(subject, path)) this.#assertOnPack(subject, ["action_delete"]);
	}

	async #assertWriting(subject: FileSubject, path: string): Promise<void> {
		const isThere = await this.#isThere(subject, path);
		this.#assertOnPack(subject, isThere ? ["action_modify"] : ["action_create", "action_modify"]);
	}

	async #isOwnEntryPoint(subject: FileSubject, path: string): Promise<boolean> {
		if (isMetadataPath(path)) return false;
		const isKnown = this.#filesOf(subject.stored, subject.pack).includes(path) && !(await this.#isOfOthers(subject, path));
		return isKnown || this.#isNewOwn(subject, path);
	}

	/** What is not there yet and has the name of the action. The library of the pack is never an action's own. */
	async #isNewOwn(subject: FileSubject, path: string): Promise<boolean> {
		const { base, name } = posix.parse(path);
		if (path.startsWith("actions/lib/") || (name !== subject.name && base !== subject.name)) return false;
		if (isMetadataPath(path) && path !== `actions/${subject.name}.yaml`) return false;
		return !(await this.#isThere(subject, path)) && !(await this.#isOfOthers(subject, path));
	}

	async #isOfOthers({ pack, stored }: FileSubject, path: string): Promise<boolean> {
		const actions = await this.#storage.find("action", { where: { pack } });
		return actions.some((action) => action.id !== stored?.id && toPaths(action).includes(path));
	}

	async #isThere({ packDirectory }: FileSubject, path: string): Promise<boolean> {
		return packDirectory !== undefined && isTaken({ root: packDirectory, path });
	}

	#filesOf(stored: ActionEntity | undefined, pack: string): readonly string[] {
		return stored === undefined || stored.pack !== pack ? [] : toPaths(stored);
	}

	/** Any one of the permissions on the pack. */
	#assertOnPack({ principal, pack }: FileSubject, permissions: readonly [PermissionType, ...PermissionType[]]): void {
		if (principal === undefined) return;
		const resource = { uid: `pack:${pack}` };
		if (permissions.some((permission) => this.#access.allows(principal, permission, resource))) return;
		this.#access.assert(principal, permissions.at(-1) ?? permissions[0], resource);
	}
}

/** From the pack's directory. */
function toPaths({ entry_point, metadata_file }: NamedFiles): readonly string[] {
	return [...(entry_point === "" ? [] : [toEntryPath(entry_point)]), ...(metadata_file === null ? [] : [posix.normalize(metadata_file)])];
}
