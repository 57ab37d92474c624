import type { PermissionType } from "../../kernel/basics/permission-types.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import type { Role } from "./roles.ts";

/** A role somebody has, with where it comes from. */
export interface RoleAssignment {
	readonly id: string;
	readonly user: string;
	readonly role: string;
	readonly description: string;
	/** Given by a group of the site's directory rather than by the configuration. */
	readonly is_remote: boolean;
	readonly source: string;
}

export interface AssignmentFilter {
	readonly user?: string;
	readonly role?: string;
	readonly source?: string;
	readonly remote?: boolean;
}

/** The administrator made at the first start. */
export interface FirstUser {
	readonly username: string;
	/** Given only when it was generated: whoever set it knows it. */
	readonly password?: string;
	/** What it lacks to do anything, and what to do about it; absent when nothing is missing. */
	readonly warning?: string;
}

/** Who may do what. With access control off everybody may do everything. */
export interface Access {
	readonly enabled: boolean;
	readonly roles: ReadonlyMap<string, Role>;
	/** Names of a user's roles, sorted. */
	rolesOf(username: string): Promise<readonly string[]>;
	/** Whether the principal has a permission: on a record, or globally. */
	allows(principal: Principal, permission: PermissionType, resource?: Resource): boolean;
	/**
	 * What the principal may do: for each permission the uids of the records, or of the packs, that it holds on; `*` for all. What it does not
	 * hold anywhere is not in it. What one may do with what is one's own is not in it either: `allows` says so, record by record.
	 */
	permissionsOf(principal: Principal): Readonly<Record<string, readonly string[]>>;
	/** Throws `SVC_FORBIDDEN` naming user, permission and resource, and leaves a line in the log. */
	assert(principal: Principal, permission: PermissionType, resource?: Resource): void;
	/** Make a user's roles by group what the groups of this sign-in say. Unknown roles are left out. */
	syncGroups(username: string, groups: readonly string[]): Promise<void>;
	assignments(filter: AssignmentFilter): Promise<readonly RoleAssignment[]>;
}
