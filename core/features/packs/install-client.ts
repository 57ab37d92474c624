import type { Api } from "../../client/api.ts";
import type { JsonObject } from "../../contract/index.ts";

/** A job on packs: an execution of an action of the pack `packs`. */
export interface PackJobRecord {
	readonly execution_id: string;
}

/** What is installed. Names in the index, addresses, and directories, with `=revision` behind them. */
export interface PackInstallRequest {
	readonly packs?: readonly string[];
	readonly force?: boolean;
	readonly skip_dependencies?: boolean;
	/** Entries of a lock file, in the place of `packs`. */
	readonly locked?: readonly PackLockEntry[];
}

/** One pack of a lock file. */
export interface PackLockEntry {
	readonly ref: string;
	readonly version: string;
	readonly source: JsonObject;
	readonly content: string;
}

/** What there is of an installed pack where it came from. */
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
	/** When the commit is tried again, though it is the same; null: with another one. */
	readonly retry_at: string | null;
	readonly checked_at: string;
}

/** What changes the packs that are installed. */
export interface PackInstallClient {
	install(request: PackInstallRequest): Promise<PackJobRecord>;
	uninstall(packs: readonly string[], options?: { readonly force?: boolean }): Promise<PackJobRecord>;
	/** Without packs: all of them. */
	upgrade(packs: readonly string[], options?: Pick<PackInstallRequest, "force" | "skip_dependencies">): Promise<PackJobRecord>;
	/** Default: to the version before. */
	rollback(pack: string, version?: string): Promise<PackJobRecord>;
	outdated(): Promise<readonly PackNewerRecord[]>;
	/** Packs in git that the configuration has the service follow. */
	followed(): Promise<readonly FollowedPackRecord[]>;
	lock(): Promise<readonly PackLockEntry[]>;
}

export function createPackInstallClient({ read }: Api): PackInstallClient {
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
