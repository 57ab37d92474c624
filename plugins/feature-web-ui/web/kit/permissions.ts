import type { UserRecord } from "../../../_shipped/client.ts";

/** Permissions that every service knows, but that permit nothing without the feature that installs packs. */
const installerPermissions: readonly string[] = ["pack_install", "pack_uninstall", "pack_search"];

/**
 * Permissions of the user, as the service reported them. They only control what the page offers; the service checks each request itself.
 */
export class Permissions {
	static readonly none = new Permissions({ enabled: true, is_admin: false, roles: [], permissions: {} }, { isInstallerPresent: false });
	readonly #isAdmin: boolean;
	readonly #uids: ReadonlyMap<string, readonly string[]>;

	constructor({ is_admin, permissions = {} }: UserRecord["rbac"], { isInstallerPresent }: { readonly isInstallerPresent: boolean }) {
		this.#isAdmin = is_admin;
		const entries = Object.entries(permissions);
		this.#uids = new Map(isInstallerPresent ? entries : entries.filter(([permission]) => !installerPermissions.includes(permission)));
	}

	/**
	 * Returns true if the user has a permission on the record with this uid, such as `action:core:local`, or on any record if no uid is
	 * given. Administrators have the permissions of the features that the service has, and `admin`.
	 */
	allow(permission: string, uid?: string): boolean {
		if (permission === "admin") return this.#isAdmin;
		const uids = this.#uids.get(permission);
		if (uids === undefined) return false;
		return uid === undefined || uids.includes("*") || uids.includes(uid) || uids.includes(`pack:${uid.split(":")[1]}`);
	}
}

/** Returns the uid of an action. Permissions on executions are checked against the uid of their action. */
export function toActionUid(ref: string): string {
	const dot = ref.indexOf(".");
	return `action:${ref.slice(0, dot)}:${ref.slice(dot + 1)}`;
}
