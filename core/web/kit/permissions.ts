import type { UserRecord } from "../../features/clients.ts";

/** What somebody may do, as the service told it. The service refuses the rest anyway. */
export class Permissions {
	static readonly none = new Permissions({ enabled: true, is_admin: false, roles: [], permissions: {} });
	readonly #isAdmin: boolean;
	readonly #uids: ReadonlyMap<string, readonly string[]>;

	constructor({ is_admin, permissions = {} }: UserRecord["rbac"]) {
		this.#isAdmin = is_admin;
		this.#uids = new Map(Object.entries(permissions));
	}

	/** Whether it is permitted: on the record of this uid, such as `action:core:local`; without one, on any at all. */
	allow(permission: string, uid?: string): boolean {
		if (this.#isAdmin) return true;
		const uids = this.#uids.get(permission);
		if (uids === undefined) return false;
		return uid === undefined || uids.includes("*") || uids.includes(uid) || uids.includes(`pack:${uid.split(":")[1]}`);
	}
}

/** The uid of an action, by whose permissions its executions are guarded. */
export function toActionUid(ref: string): string {
	const dot = ref.indexOf(".");
	return `action:${ref.slice(0, dot)}:${ref.slice(dot + 1)}`;
}
