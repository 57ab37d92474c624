import { type RbacConfig, SvcError } from "../../contract/index.ts";
import { toStableId } from "../../kernel/basics/ids.ts";
import { Dialects } from "../../language/dialects.ts";
import { isGlobalPermission, isGrantableOn, isPermissionType } from "./permission-types.ts";

type RoleInput = NonNullable<RbacConfig["roles"]>[number];
/** Permissions on one resource, or global permissions if no resource is named. */
export type Grant = NonNullable<RoleInput["permission_grants"]>[number];

export interface Role {
	readonly id: string;
	readonly name: string;
	readonly description: string;
	/** True if the role is built in. The configuration cannot define such a role. */
	readonly system: boolean;
	readonly grants: readonly Grant[];
}

const systemRoles: readonly Role[] = [
	{ name: "system_admin", description: "All permissions; cannot be revoked." },
	{ name: "admin", description: "Everything." },
	{ name: "observer", description: "All permissions to list, view and search." },
].map(({ name, description }) => ({ id: toStableId(`role:${name}`), name, description, system: true, grants: [] }));

/** Returns true if the role has all permissions. */
export function isAdminRole(name: string): boolean {
	return name === "admin" || name === "system_admin";
}

/**
 * Returns the system roles and the configured roles by name. Resource names of a dialect are converted. Throws `SVC_CONFIG` with the path
 * and the rule if a role is invalid.
 */
export function createRoles(inputs: readonly RoleInput[], dialects = Dialects.none): ReadonlyMap<string, Role> {
	const roles = new Map(systemRoles.map((role) => [role.name, role]));
	for (const [index, { name, description = "", permission_grants: grants = [] }] of inputs.entries()) {
		const path = `rbac.roles[${index}]`;
		if (!/^[\w.-]{1,255}$/.test(name)) throw new SvcError("SVC_CONFIG", `${path}.name: must consist of letters, digits, _, - and .`);
		if (roles.has(name)) throw new SvcError("SVC_CONFIG", `${path}.name: role "${name}" already exists`);
		for (const [place, grant] of grants.entries()) checkGrant(grant, `${path}.permission_grants[${place}]`);
		roles.set(name, {
			id: toStableId(`role:${name}`),
			name,
			description,
			system: false,
			grants: grants.map((grant) => withOwnUid(grant, dialects)),
		});
	}
	return roles;
}

function withOwnUid(grant: Grant, dialects: Dialects): Grant {
	const { resource_uid: uid } = grant;
	return uid === undefined ? grant : { ...grant, resource_uid: dialects.resourceUid(uid) };
}

function checkGrant({ resource_uid: uid, permission_types: types }: Grant, path: string): void {
	for (const type of types) {
		if (!isPermissionType(type))
			throw new SvcError(
				"SVC_CONFIG",
				`${path}.permission_types: "${type}" is not a permission of this service; hint: add the feature that defines it to features`,
			);
		if (uid === undefined && !isGlobalPermission(type)) {
			throw new SvcError(
				"SVC_CONFIG",
				`${path}: "${type}" applies to single resources; hint: name one in resource_uid, such as "pack:core"`,
			);
		}
		if (uid !== undefined && !isGrantableOn(type, uid)) {
			throw new SvcError("SVC_CONFIG", `${path}: "${type}" cannot be granted on "${uid}"`);
		}
	}
}
