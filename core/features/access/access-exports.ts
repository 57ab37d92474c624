import type { RoleAssignmentEntity } from "../../contract/index.ts";
import type { PermissionType } from "../../kernel/basics/permission-types.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import type { Role } from "./roles.ts";

/** A role of a user. `source` is the group, or the part of the configuration, that grants it. */
export interface RoleAssignment extends RoleAssignmentEntity {
	/** True if a group of the site's directory grants the role, false if the configuration does. */
	readonly is_remote: boolean;
}

export interface AssignmentFilter {
	readonly user?: string | undefined;
	readonly role?: string | undefined;
	readonly source?: string | undefined;
	readonly remote?: boolean | undefined;
}

/** The administrator created at the first start. */
export interface FirstUser {
	readonly username: string;
	/** Password; present only if it was generated. */
	readonly password?: string;
	/** Warning that the administrator has no role, with the remedy; absent if it has one. */
	readonly warning?: string;
}

/** Authorization of users. With access control off, everyone may do everything. */
export interface Access {
	readonly enabled: boolean;
	readonly roles: ReadonlyMap<string, Role>;
	/** Returns the names of a user's roles, sorted. */
	rolesOf(username: string): Promise<readonly string[]>;
	/** Returns true if the principal has the permission on the record, or globally if no record is given. */
	allows(principal: Principal, permission: PermissionType, resource?: Resource): boolean;
	/**
	 * Returns the permissions of the principal, each with the uids of the records or packs to which it applies; `*` means all. Permissions
	 * that the principal has nowhere are absent. Permissions on the principal's own records are absent as well; use `allows` for those.
	 */
	permissionsOf(principal: Principal): Readonly<Record<string, readonly string[]>>;
	/** Throws `SVC_FORBIDDEN` with user, permission and resource if the principal does not have the permission, and logs it. */
	assert(principal: Principal, permission: PermissionType, resource?: Resource): void;
	/** Replaces the roles that a user has through groups by those for the groups of this sign-in. Groups without a mapping are ignored. */
	syncGroups(username: string, groups: readonly string[]): Promise<void>;
	assignments(filter: AssignmentFilter): Promise<readonly RoleAssignment[]>;
}
