/** Verbs of each resource type (reference of permission types): `<resource>_<verb>` is a permission. `all` implies the others. */
const verbs = {
	runner_type: ["list", "view", "modify", "all"],
	pack: ["list", "view", "create", "modify", "delete", "install", "uninstall", "register", "config", "search", "views_index_health", "all"],
	sensor_type: ["list", "view", "modify", "all"],
	action: ["list", "view", "create", "modify", "delete", "execute", "all"],
	action_alias: ["list", "view", "create", "modify", "match", "help", "delete", "all"],
	execution: ["list", "view", "rerun", "stop", "all", "views_filters_list"],
	rule: ["list", "view", "create", "modify", "delete", "all"],
	rule_enforcement: ["list", "view"],
	key_value_pair: ["list", "view", "set", "delete", "all"],
	webhook: ["list", "view", "create", "send", "delete", "all"],
	timer: ["list", "view", "create", "delete", "all"],
	api_key: ["list", "view", "create", "modify", "delete", "all"],
	trace: ["list", "view", "all"],
	trigger_type: ["list", "view", "create", "modify", "delete", "all"],
	trigger: ["list", "view", "create", "modify", "delete", "all"],
	trigger_instance: ["list", "view", "reemit", "all"],
	rule_type: ["list", "view", "all"],
	role_assignment: ["list", "view"],
	token: ["validate"],
	policy_type: ["list", "view", "all"],
	policy: ["list", "view", "create", "modify", "delete", "all"],
	inquiry: ["list", "view", "respond", "all"],
	stream: ["view"],
} as const;

export type ResourceType = keyof typeof verbs;
/** A permission, such as `action_execute`. */
export type PermissionType = { [R in ResourceType]: `${R}_${(typeof verbs)[R][number]}` }[ResourceType];

export const resourceTypes = Object.keys(verbs) as readonly ResourceType[];

/** Permissions of a resource type, in the order of the reference. */
export function permissionsOf(type: ResourceType): readonly PermissionType[] {
	return verbs[type].map((verb) => `${type}_${verb}` as PermissionType);
}

export const permissionTypes: ReadonlySet<string> = new Set(resourceTypes.flatMap(permissionsOf));

/** Whether a text is the name of a permission. */
export function isPermissionType(text: string): text is PermissionType {
	return permissionTypes.has(text);
}

/** The resource type of a permission: the longest one its name begins with. */
export function resourceTypeOf(permission: PermissionType): ResourceType {
	const fitting = resourceTypes.filter((type) => permission.startsWith(`${type}_`) && permissionsOf(type).includes(permission));
	return fitting.reduce((longest, type) => (type.length > longest.length ? type : longest));
}

const globalNames: ReadonlySet<string> = new Set([
	...["install", "uninstall", "create", "register", "config", "search", "views_index_health"].map((verb) => `pack_${verb}`),
	"action_alias_match",
	"action_alias_help",
	"api_key_create",
	"policy_create",
	"execution_views_filters_list",
	"stream_view",
	"inquiry_view",
	"inquiry_respond",
	"inquiry_all",
	"token_validate",
]);

/** Whether a permission is granted without a resource: every `_list`, and what concerns no single record. */
export function isGlobal(permission: PermissionType): boolean {
	return permission.endsWith("_list") || globalNames.has(permission);
}

/** Types whose permissions may be granted on a pack, for everything in it. */
const packTypes: readonly ResourceType[] = [
	...(["sensor_type", "action", "action_alias", "rule", "policy"] as const),
	...(["trigger_type", "trigger", "trigger_instance", "timer"] as const),
];

/** Types whose records nobody knows beforehand: they are guarded by records of another type. */
const guardedBy: { readonly [T in ResourceType]?: ResourceType } = { trigger_instance: "trigger_type" };

/** Whether the permission may be granted on a resource with this uid (`<type>:…`). */
export function fitsResource(permission: PermissionType, uid: string): boolean {
	const type = uid.split(":", 1)[0];
	const own = resourceTypeOf(permission);
	if (permission.endsWith("_list")) return false;
	return (guardedBy[own] ?? own) === type || (type === "pack" && packTypes.includes(own));
}

const described = {
	list: "See the list of",
	view: "See one",
	create: "Create a",
	modify: "Change a",
	delete: "Delete a",
	all: "Everything that can be done with a",
} as const;

/** One sentence for the permission types endpoint. */
export function describePermission(permission: PermissionType): string {
	const type = resourceTypeOf(permission);
	const verb = permission.slice(type.length + 1);
	const noun = type.replaceAll("_", " ");
	return verb in described ? `${described[verb as keyof typeof described]} ${noun}` : `${verb.replaceAll("_", " ")}: ${noun}`;
}
