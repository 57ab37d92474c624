/**
 * Verbs of each resource type, as a union of texts. Features declare theirs by declaring this interface again; what they declare here
 * they define with `definePermissions`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it
export interface PermissionVerbs {}

/** A type of records that permissions are about, such as `action`. */
export type ResourceType = keyof PermissionVerbs;
/** A permission, such as `action_execute`. */
export type PermissionType = { [R in ResourceType]: `${R}_${PermissionVerbs[R] & string}` }[ResourceType];

/** What can be permitted of the records of one type. */
export interface ResourceTypeDefinition {
	/** `<resource>_<verb>` is a permission. `all` implies the others. */
	readonly verbs: readonly string[];
	/** Verbs that concern no single record, besides `list`: they are granted without a resource. Default none. */
	readonly global?: readonly string[];
	/** Whether a permission may be granted on a pack, for everything in it. Default false. */
	readonly isInPacks?: boolean;
	/** Type whose records guard those of this one, as nobody knows them beforehand. Default: itself. */
	readonly guardedBy?: ResourceType;
}

/** What this program knows, as it knows its modules: features define it when they are loaded, before any service is made. */
const definitions = new Map<string, ResourceTypeDefinition>();
const owners = new Map<string, ResourceType>();

/** Define what can be permitted of a resource type. Throws when one of its permissions is another type's. */
export function definePermissions(type: ResourceType, definition: ResourceTypeDefinition): void {
	for (const verb of definition.verbs) {
		const permission = `${type}_${verb}`;
		const owner = owners.get(permission);
		if (owner !== undefined && owner !== type) throw new Error(`permission "${permission}" is one of "${owner}" already`);
		owners.set(permission, type);
	}
	definitions.set(type, definition);
}

/** In the order in which they were defined. */
export function resourceTypes(): readonly ResourceType[] {
	return [...definitions.keys()] as ResourceType[];
}

/** Permissions of a resource type, in the order of its definition. */
export function permissionsOf(type: ResourceType): readonly PermissionType[] {
	return (definitions.get(type)?.verbs ?? []).map((verb) => `${type}_${verb}` as PermissionType);
}

/** Whether a text is the name of a permission. */
export function isPermissionType(text: string): text is PermissionType {
	return owners.has(text);
}

/** The resource type of a permission. */
export function resourceTypeOf(permission: PermissionType): ResourceType {
	const owner = owners.get(permission);
	if (owner === undefined) throw new Error(`"${permission}" is not a permission`);
	return owner;
}

/** Whether a permission is granted without a resource: every `_list`, and what concerns no single record. */
export function isGlobal(permission: PermissionType): boolean {
	if (permission.endsWith("_list")) return true;
	const type = resourceTypeOf(permission);
	return definitions.get(type)?.global?.some((verb) => permission === `${type}_${verb}`) === true;
}

/** Whether the permission may be granted on a resource with this uid (`<type>:…`). */
export function fitsResource(permission: PermissionType, uid: string): boolean {
	if (permission.endsWith("_list")) return false;
	const type = uid.split(":", 1)[0];
	const own = resourceTypeOf(permission);
	const definition = definitions.get(own);
	return (definition?.guardedBy ?? own) === type || (type === "pack" && definition?.isInPacks === true);
}
