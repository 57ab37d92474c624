import { type RbacConfig, type RoleAssignmentEntity, SvcError } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId, toStableId } from "../../kernel/basics/ids.ts";
import { insertIfAbsent } from "../../kernel/basics/insert-if-absent.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import type { Dialects } from "../../language/dialects.ts";
import type { Access, AssignmentFilter, RoleAssignment } from "./access-exports.ts";
import {
	isGlobalPermission,
	listResourceTypes,
	type PermissionType,
	permissionsOf,
	resourceTypeDefinitionOf,
	resourceTypeOf,
} from "./permission-types.ts";
import { createRoles, type Grant, isAdminRole, type Role } from "./roles.ts";

export interface AccessDependencies extends Uses<"storage" | "clock" | "logger"> {
	readonly enabled: boolean;
	readonly config: RbacConfig;
	/** Dialects whose resource names grants may use. Default: only the service's own names. */
	readonly dialects?: Dialects;
}

/** A role, and the group that grants it. */
type GroupRole = Pick<RoleAssignmentEntity, "role" | "source">;

/** Authorization by the roles that the configuration assigns to users and to groups of the site's directory. */
export class RoleAccess implements Access {
	readonly enabled: boolean;
	readonly roles: ReadonlyMap<string, Role>;
	readonly #parts: AccessDependencies;
	/** Role assignments in `rbac.assignments`, which name users instead of groups. */
	readonly #local: readonly RoleAssignment[];

	constructor(parts: AccessDependencies) {
		const { enabled, config, dialects } = parts;
		this.#parts = parts;
		this.enabled = enabled;
		this.roles = createRoles(config.roles ?? [], dialects);
		this.#local = toLocalAssignments(config, this.roles);
		checkMappings(config, this.roles);
		if (enabled) this.#warnOfNoAdministrator();
	}

	async rolesOf(username: string): Promise<readonly string[]> {
		if (!this.enabled) return [];
		const names = this.#local.filter(({ user }) => user === username).map(({ role }) => role);
		for (const assignment of await this.#findRemote(username)) if (this.#isMapped(assignment)) names.push(assignment.role);
		return [...new Set(names)].sort();
	}

	allows(principal: Principal, permission: PermissionType, resource?: Resource): boolean {
		if (!isInScope(principal.scopes, permission, resource)) return false;
		if (resource?.owner === principal.username) return true;
		const isAll = this.#hasAllPermissions(principal);
		// Only administrators may access records of another user, and a key with scopes never acts as an administrator.
		if (resource?.owner !== undefined) return isAll && principal.scopes === undefined;
		if (isAll) return true;
		const { isObserver, grants } = this.#rightsOf(principal);
		return (isObserver && observerAllows(permission)) || grantsAllow(grants, permission, resource);
	}

	permissionsOf(principal: Principal): Readonly<Record<string, readonly string[]>> {
		const isAll = this.#hasAllPermissions(principal);
		const { isObserver, grants } = this.#rightsOf(principal);
		const uidsOf = (permission: PermissionType) => {
			if (!isInScope(principal.scopes, permission)) return [];
			return isAll || (isObserver && observerAllows(permission)) ? ["*"] : grantedUids(grants, permission);
		};
		const entries = listResourceTypes()
			.flatMap(permissionsOf)
			.map((permission) => [permission, uidsOf(permission)] as const);
		return Object.fromEntries(entries.filter(([, uids]) => uids.length > 0));
	}

	assert(principal: Principal, permission: PermissionType, resource?: Resource): void {
		if (this.allows(principal, permission, resource)) return;
		const on = resource === undefined ? {} : { resource: resource.uid };
		this.#parts.logger.warn("permission denied", { user: principal.username, permission, ...on });
		throw new SvcError(
			"SVC_FORBIDDEN",
			`user "${principal.username}" does not have the permission "${permission}"${resource === undefined ? "" : ` on "${resource.uid}"`}`,
		);
	}

	async syncGroups(username: string, groups: readonly string[]): Promise<void> {
		if (!this.enabled) return;
		const { storage, clock, config } = this.#parts;
		const wanted = (config.mappings ?? []).filter(({ group }) => groups.includes(group)).flatMap(toRemote);
		const known = await this.#findRemote(username);
		const isSame = (a: GroupRole) => (b: GroupRole) => a.role === b.role && a.source === b.source;
		for (const old of known) if (!wanted.some(isSame(old))) await storage.remove("role_assignment", { where: { id: old.id } });
		for (const assignment of wanted) {
			if (known.some(isSame(assignment))) continue;
			// A concurrent sign-in may insert the same assignment.
			await insertIfAbsent(() => storage.insert("role_assignment", [{ id: createId(clock), user: username, ...assignment }]));
		}
	}

	async assignments({ user, role, source, remote }: AssignmentFilter): Promise<readonly RoleAssignment[]> {
		const mapped = (await this.#findRemote(user)).filter((entity) => this.#isMapped(entity));
		const stored = mapped.map((entity): RoleAssignment => ({ ...entity, is_remote: true }));
		return [...this.#local, ...stored].filter(
			(assignment) =>
				(user === undefined || assignment.user === user) &&
				(role === undefined || assignment.role === role) &&
				(source === undefined || assignment.source === source) &&
				(remote === undefined || assignment.is_remote === remote),
		);
	}

	/** Returns true if the principal has all permissions, apart from its scopes. */
	#hasAllPermissions({ isAdmin, roles = [] }: Principal): boolean {
		return !this.enabled || isAdmin || hasAdminRole(roles);
	}

	/** Returns whether the principal has the role `observer`, and the grants of all its roles. */
	#rightsOf({ roles = [] }: Principal) {
		const held = roles.flatMap((name) => this.roles.get(name) ?? []);
		return { isObserver: held.some(({ name }) => name === "observer"), grants: held.flatMap(({ grants }) => grants) };
	}

	#warnOfNoAdministrator(): void {
		const { config, logger } = this.#parts;
		const given = [...this.#local.map(({ role }) => role), ...(config.mappings ?? []).flatMap((mapping) => mapping.roles)];
		if (hasAdminRole(given)) return;
		logger.warn("no user has the role admin", { hint: "grant a user the role admin in rbac.assignments or rbac.mappings" });
	}

	async #findRemote(username?: string): Promise<RoleAssignmentEntity[]> {
		return this.#parts.storage.find("role_assignment", username === undefined ? {} : { where: { user: username } });
	}

	/** Returns true if the configuration still maps the group to the role. Otherwise the next sign-in removes the assignment. */
	#isMapped({ role, source }: RoleAssignmentEntity): boolean {
		return (this.#parts.config.mappings ?? []).some(({ group, roles }) => group === source && roles.includes(role));
	}
}

/** Returns true if one of the roles has all permissions. */
export function hasAdminRole(roles: readonly string[]): boolean {
	return roles.some(isAdminRole);
}

/**
 * Returns true if the scopes of an API key include the permission; undefined scopes include all. A scope is a permission type, a webhook to
 * which the key may post, or a worker label whose jobs the key may take.
 */
function isInScope(scopes: readonly string[] | undefined, permission: PermissionType, resource?: Resource): boolean {
	if (scopes === undefined || scopes.includes(permission) || scopes.includes(`${resourceTypeOf(permission)}_all`)) return true;
	const { scopedVerbs = [] } = resourceTypeDefinitionOf(permission);
	const isScoped = scopedVerbs.some((verb) => permission === `${resourceTypeOf(permission)}_${verb}`);
	return isScoped && resource !== undefined && scopes.includes(resource.uid);
}

function toLocalAssignments({ assignments = [] }: RbacConfig, roles: ReadonlyMap<string, Role>): readonly RoleAssignment[] {
	return assignments.flatMap(({ username, roles: names, description = "" }, index) => {
		const source = `rbac.assignments[${index}]`;
		return names.map((role) => {
			assertRole(role, `${source}.roles`, roles);
			return { id: toStableId(`${username}:${role}`), user: username, role, description, is_remote: false, source };
		});
	});
}

function checkMappings({ mappings = [] }: RbacConfig, roles: ReadonlyMap<string, Role>): void {
	for (const [index, mapping] of mappings.entries())
		for (const role of mapping.roles) assertRole(role, `rbac.mappings[${index}].roles`, roles);
}

function assertRole(name: string, path: string, roles: ReadonlyMap<string, Role>): void {
	if (!roles.has(name))
		throw new SvcError("SVC_CONFIG", `${path}: role "${name}" does not exist; the roles are ${[...roles.keys()].join(", ")}`);
}

function toRemote({ group, roles, description }: NonNullable<RbacConfig["mappings"]>[number]) {
	return roles.map((role) => ({ role, source: group, description: description ?? `from group ${group}` }));
}

/** Permissions on an action that imply a permission on its executions. Executions have no grants of their own. */
const executionPermissions: { readonly [P in PermissionType]?: readonly PermissionType[] } = {
	execution_view: ["action_view", "action_all"],
	execution_stop: ["action_execute", "action_all"],
	// The permission to run an action does not include setting the result of a run.
	execution_complete: ["action_complete", "action_all"],
	execution_rerun: ["action_execute", "action_all"],
};

/** Permissions that imply a permission on inquiries. A user who may run the action of the parent may answer its inquiries. */
const inquiryPermissions: { readonly [P in PermissionType]?: readonly PermissionType[] } = {
	inquiry_view: ["inquiry_view", "inquiry_respond", "inquiry_list", "inquiry_all", "action_execute", "action_all"],
	inquiry_respond: ["inquiry_respond", "inquiry_all", "action_execute", "action_all"],
};

/** Permissions that imply a permission on enforcements, which are guarded by their rules. */
const enforcementPermissions: { readonly [P in PermissionType]?: readonly PermissionType[] } = {
	rule_enforcement_list: ["rule_enforcement_list", "rule_list", "rule_all"],
	rule_enforcement_view: ["rule_enforcement_view", "rule_view", "rule_create", "rule_modify", "rule_delete", "rule_all"],
};

const implyingView = ["create", "modify", "delete", "execute", "set"];

/** Returns true if the observer role has the permission. */
function observerAllows(permission: PermissionType): boolean {
	return /_(view|list|search)$/.test(permission) && resourceTypeDefinitionOf(permission).isHiddenFromObservers !== true;
}

/** Returns true if a grant includes the permission on the record, on its pack, or globally. */
function grantsAllow(grants: readonly Grant[], permission: PermissionType, resource?: Resource): boolean {
	const sufficient: ReadonlySet<string> = new Set(toSufficient(permission));
	const uids = resource === undefined ? [] : [resource.uid, ...(resource.pack === undefined ? [] : [`pack:${resource.pack}`])];
	return grants.some(({ resource_uid: uid, permission_types: types }) => {
		if (uid === undefined ? !isGlobalPermission(permission) : !uids.includes(uid)) return false;
		return types.some((type) => sufficient.has(type));
	});
}

/** Returns the uids of the records on which the grants include the permission; `*` means all records. */
function grantedUids(grants: readonly Grant[], permission: PermissionType): readonly string[] {
	const sufficient: ReadonlySet<string> = new Set(toSufficient(permission));
	const held = grants.filter(({ permission_types: types }) => types.some((type) => sufficient.has(type)));
	return [...new Set(held.flatMap(({ resource_uid: uid }) => uid ?? (isGlobalPermission(permission) ? ["*"] : [])))];
}

/** Returns all permissions that include the given one. */
function toSufficient(permission: PermissionType): readonly PermissionType[] {
	const mapped = executionPermissions[permission] ?? inquiryPermissions[permission] ?? enforcementPermissions[permission];
	if (mapped !== undefined) return mapped;
	const type = resourceTypeOf(permission);
	const all = `${type}_all` as PermissionType;
	if (permission !== `${type}_view`) return [permission, all];
	return [permission, all, ...implyingView.map((verb) => `${type}_${verb}` as PermissionType)];
}
