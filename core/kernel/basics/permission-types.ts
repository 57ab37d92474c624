import type { Resource } from "./refs.ts";

/**
 * Verbs of each resource type, as a union of strings. Each feature adds its types by declaration merging, and defines them in its
 * `permissions`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it
export interface PermissionVerbs {}

/** Type of records to which permissions apply, such as `action`. */
export type ResourceType = keyof PermissionVerbs;
/** A permission, such as `action_execute`. */
export type PermissionType = { [R in ResourceType]: `${R}_${PermissionVerbs[R] & string}` }[ResourceType];

/** Permissions on the records of one type. */
export interface ResourceTypeDefinition {
	/** Verbs of the permissions `<type>_<verb>`. The verb `all` implies all others. */
	readonly verbs: readonly string[];
	/** Verbs other than `list` that do not apply to a single record. Their permissions are granted without a resource. Default: none. */
	readonly global?: readonly string[];
	/** True if the role `observer` has none of the permissions, although it may view, list and search other records. Default: false. */
	readonly isHiddenFromObservers?: boolean;
	/** True if a permission may be granted on a pack, for all records in it. Default: false. */
	readonly isInPacks?: boolean;
	/**
	 * Verbs whose permission an API key may have on single records: a scope of the key then names the record instead of the permission.
	 * Default: none.
	 */
	readonly scopedVerbs?: readonly string[];
	/**
	 * Resource type on whose records the permissions are granted, if the records of this type, such as events, are not known in advance.
	 * Default: this type.
	 */
	readonly guardedBy?: ResourceType;
}

/**
 * Definitions by resource type, for the whole process. The definitions of features are added before a service with them is created.
 */
const definitions = new Map<string, ResourceTypeDefinition>();
/** Resource types by permission. */
const typesByPermission = new Map<string, ResourceType>();

/** Defines the permissions of a resource type. Throws if one belongs to another type, or if the type is defined differently already. */
export function registerPermissions(type: ResourceType, definition: ResourceTypeDefinition): void {
	const known = definitions.get(type) ?? definition;
	if (JSON.stringify(known) !== JSON.stringify(definition)) throw new Error(`permissions of "${type}" are already defined differently`);
	for (const verb of definition.verbs) {
		const permission = `${type}_${verb}`;
		const owner = typesByPermission.get(permission);
		if (owner !== undefined && owner !== type) throw new Error(`permission "${permission}" already belongs to "${owner}"`);
		typesByPermission.set(permission, type);
	}
	definitions.set(type, definition);
}

/** Returns the resource types, in the order in which they were defined. */
export function listResourceTypes(): readonly ResourceType[] {
	return [...definitions.keys()] as ResourceType[];
}

/** Returns the permissions of a resource type, in the order of its definition. */
export function permissionsOf(type: ResourceType): readonly PermissionType[] {
	return (definitions.get(type)?.verbs ?? []).map((verb) => `${type}_${verb}` as PermissionType);
}

/** Returns true if a string is the name of a permission. */
export function isPermissionType(text: string): text is PermissionType {
	return typesByPermission.has(text);
}

/** Returns the resource type of a permission. Throws if there is no such permission. */
export function resourceTypeOf(permission: PermissionType): ResourceType {
	const owner = typesByPermission.get(permission);
	if (owner === undefined) throw new Error(`"${permission}" is not a permission`);
	return owner;
}

/** Returns the definition of a permission's resource type. Throws if there is no such permission. */
export function resourceTypeDefinitionOf(permission: PermissionType): ResourceTypeDefinition {
	return definitions.get(resourceTypeOf(permission)) ?? { verbs: [] };
}

/** Returns true if a permission is granted without a resource. That applies to every `_list` permission and to the verbs in `global`. */
export function isGlobalPermission(permission: PermissionType): boolean {
	const { global = [] } = resourceTypeDefinitionOf(permission);
	return permission.endsWith("_list") || global.some((verb) => permission === `${resourceTypeOf(permission)}_${verb}`);
}

/** Returns true if the permission may be granted on a resource with this uid (`<type>:…`). */
export function isGrantableOn(permission: PermissionType, uid: string): boolean {
	if (permission.endsWith("_list")) return false;
	const type = uid.split(":", 1)[0];
	const { guardedBy = resourceTypeOf(permission), isInPacks = false } = resourceTypeDefinitionOf(permission);
	return guardedBy === type || (type === "pack" && isInPacks);
}

/** A permission that a request needs in addition to that of its route. */
export interface RequiredPermission {
	readonly permission: PermissionType;
	/** A grant on any one of these records is sufficient. Absent: the permission is required globally, not on a record. */
	readonly resources?: readonly Resource[];
	/** True if the request uses the value of a secret. The role `observer` does not count then, because it may only see secrets masked. */
	readonly isSecretUsed?: boolean;
}

/** Throws `SVC_FORBIDDEN` if one of the permissions is missing. */
export type AssertPermitted = (required: readonly RequiredPermission[]) => void;
