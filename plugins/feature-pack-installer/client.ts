import type { JsonObject } from "../../core/contract/index.ts";
import type { ApiClient } from "../../core/features/clients.ts";

/** A job on packs: an execution of an action of the pack `packs`. */
export interface PackJobRecord {
	readonly execution_id: string;
}

/** Packs to install: names in the index, addresses or directories, each optionally followed by `=revision`. */
export interface PackInstallRequest {
	readonly packs?: readonly string[];
	readonly force?: boolean;
	readonly skip_dependencies?: boolean;
	/** Entries of a lock file, instead of `packs`. */
	readonly locked?: readonly PackLockEntry[];
}

/** One pack of a lock file. */
export interface PackLockEntry {
	readonly ref: string;
	readonly version: string;
	readonly source: JsonObject;
	readonly content: string;
}

/** Versions that the source of an installed pack offers. */
export interface PackNewerRecord {
	readonly ref: string;
	readonly version: string;
	readonly commit: string | null;
	readonly address: string;
	readonly latest: { readonly version: string | null; readonly revision: string | null; readonly commit: string | null } | null;
	readonly outdated: boolean;
	readonly problem: string | null;
}

/** A pack in git that the service follows. */
export interface FollowedPackRecord {
	readonly id: string;
	readonly source: string;
	readonly pack: string | null;
	readonly commit: string | null;
	readonly state: "installing" | "installed" | "failed" | "unreachable";
	readonly reason: string | null;
	readonly execution_id: string | null;
	readonly tried_at: string | null;
	/** When the same commit is tried again. Null if only a new commit causes the next attempt. */
	readonly retry_at: string | null;
	readonly checked_at: string;
}

/** Client for jobs that change the installed packs. */
export interface PackInstallClient {
	install(request: PackInstallRequest): Promise<PackJobRecord>;
	uninstall(packs: readonly string[], options?: { readonly force?: boolean }): Promise<PackJobRecord>;
	/** Upgrades the given packs, or all installed packs if the list is empty. */
	upgrade(packs: readonly string[], options?: Pick<PackInstallRequest, "force" | "skip_dependencies">): Promise<PackJobRecord>;
	/** Rolls a pack back, by default to the previous version. */
	rollback(pack: string, version?: string): Promise<PackJobRecord>;
	outdated(): Promise<readonly PackNewerRecord[]>;
	/** Returns the packs in git that the service follows, as configured. */
	followed(): Promise<readonly FollowedPackRecord[]>;
	lock(): Promise<readonly PackLockEntry[]>;
}

export function createPackInstallClient({ read }: ApiClient): PackInstallClient {
	const begin = (path: string, body: object) => read<PackJobRecord>(`/packs/${path}`, { method: "POST", body });
	return {
		install: (request) => begin("install", request),
		uninstall: (packs, options = {}) => begin("uninstall", { packs, ...options }),
		upgrade: (packs, options = {}) => begin("upgrade", { ...(packs.length === 0 ? { all: true } : { packs }), ...options }),
		rollback: (pack, version) => begin("rollback", { pack, ...(version !== undefined && { version }) }),
		outdated: () => read("/packs/views/outdated"),
		followed: () => read("/packs/views/followed"),
		lock: () => read("/packs/views/lock"),
	};
}
