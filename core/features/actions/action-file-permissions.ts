import { posix } from "node:path";
import type { ActionEntity, Storage } from "../../contract/index.ts";
import type { PermissionType } from "../../kernel/basics/permission-types.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Access } from "../access/access-exports.ts";
import { pathExists } from "./symlink-safe-files.ts";

/** An action whose files are changed, and the principal that makes the request. */
export interface FileSubject {
	/** Undefined if the embedding program itself makes the request; it may do everything. */
	readonly principal: Principal | undefined;
	readonly pack: string;
	readonly name: string;
	/** The stored action, if it exists. */
	readonly stored?: ActionEntity | undefined;
	/** Undefined if the pack has no directory. */
	readonly packDirectory: string | undefined;
}

type NamedFiles = Pick<ActionEntity, "entry_point" | "metadata_file">;

/** Returns true for a YAML file directly in `actions`: the registration of packs reads metadata files only from there. */
export function isMetadataPath(path: string): boolean {
	return /^actions\/[^/]+\.ya?ml$/.test(path) && !path.includes("\0");
}

/** Returns the path of an entry point relative to the pack's directory. */
export function toEntryPath(entryPoint: string): string {
	return posix.join("actions", entryPoint);
}

/**
 * Limits the files of a pack that a user with permissions on one of its actions may change: the action's own entry point only.
 * All other files need permissions on the pack: entry points of other actions, metadata files, which define other actions, and the rest.
 */
export class ActionFilePermissions {
	readonly #storage: Storage;
	readonly #access: Pick<Access, "allows" | "assert">;

	constructor({ storage, access }: { readonly storage: Storage; readonly access: Pick<Access, "allows" | "assert"> }) {
		this.#storage = storage;
		this.#access = access;
	}

	/**
	 * Throws `SVC_FORBIDDEN` unless the principal may use the files as the action's own entry point and metadata file.
	 * Otherwise a user could first name another action's file, and then overwrite or remove it.
	 */
	async assertMayName(subject: FileSubject, { entry_point, metadata_file }: NamedFiles): Promise<void> {
		const known = new Set(this.#filesOf(subject.stored, subject.pack));
		for (const path of toPaths({ entry_point, metadata_file })) {
			if (!known.has(path) && !(await this.#isNewOwn(subject, path))) this.#assertOnPack(subject, ["action_create", "action_modify"]);
		}
	}

	/** Throws `SVC_FORBIDDEN` unless the principal may write the files. */
	async assertMayWrite(subject: FileSubject, paths: readonly string[]): Promise<void> {
		for (const path of paths) {
			if (!(await this.#isOwnEntryPoint(subject, path))) await this.#assertWriting(subject, path);
		}
	}

	/**
	 * Throws `SVC_FORBIDDEN` unless the principal may write the files, which may include the action's metadata file.
	 * Used for copies, whose metadata describes the copy itself.
	 */
	async assertMayReplace(subject: FileSubject, paths: readonly string[]): Promise<void> {
		const known = this.#filesOf(subject.stored, subject.pack);
		for (const path of paths) {
			const isOwn = known.includes(path) && !(await this.#isOfOthers(subject, path));
			if (!isOwn && !(await this.#isNewOwn(subject, path))) await this.#assertWriting(subject, path);
		}
	}

	/** Throws `SVC_FORBIDDEN` unless the principal may remove the files that the stored action uses. */
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

	/**
	 * Returns true if the file does not exist yet, has the action's name and belongs to no other action. Of metadata files, only
	 * `actions/<name>.yaml` is the action's own. Files in `actions/lib` never are.
	 */
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
		return packDirectory !== undefined && pathExists({ root: packDirectory, path });
	}

	#filesOf(stored: ActionEntity | undefined, pack: string): readonly string[] {
		return stored === undefined || stored.pack !== pack ? [] : toPaths(stored);
	}

	/** Throws `SVC_FORBIDDEN` unless the principal has one of the permissions on the pack. */
	#assertOnPack({ principal, pack }: FileSubject, permissions: readonly [PermissionType, ...PermissionType[]]): void {
		if (principal === undefined) return;
		const resource = { uid: `pack:${pack}` };
		if (permissions.some((permission) => this.#access.allows(principal, permission, resource))) return;
		this.#access.assert(principal, permissions.at(-1) ?? permissions[0], resource);
	}
}

/** Returns paths relative to the pack's directory. */
function toPaths({ entry_point, metadata_file }: NamedFiles): readonly string[] {
	return [...(entry_point === "" ? [] : [toEntryPath(entry_point)]), ...(metadata_file === null ? [] : [posix.normalize(metadata_file)])];
}
