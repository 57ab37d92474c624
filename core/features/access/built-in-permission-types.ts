import { type ResourceType, type ResourceTypeDefinition, registerPermissions } from "../../kernel/basics/permission-types.ts";

/** Verbs of each resource type, in the order of the reference documentation of permission types. */
const verbs = {
	runner_type: ["list", "view", "modify", "all"],
	pack: ["list", "view", "create", "modify", "delete", "install", "uninstall", "register", "config", "search", "views_index_health", "all"],
	sensor_type: ["list", "view", "modify", "all"],
	action: ["list", "view", "create", "modify", "delete", "execute", "complete", "all"],
	execution: ["list", "view", "rerun", "stop", "complete", "all", "views_filters_list"],
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
	workflow: ["inspect"],
	metrics: ["view"],
} as const;

/** Verbs of the resource types that every service has. */
export type Verbs = { readonly [R in keyof typeof verbs]: (typeof verbs)[R][number] };

declare module "../../kernel/basics/permission-types.ts" {
	interface PermissionVerbs extends Verbs {}
}

/** Properties of resource types other than their verbs. */
const special: { readonly [R in keyof Verbs]?: Omit<ResourceTypeDefinition, "verbs"> } = {
	pack: { global: ["install", "uninstall", "create", "register", "config", "search", "views_index_health"] },
	action: { isInPacks: true },
	sensor_type: { isInPacks: true },
	rule: { isInPacks: true },
	policy: { isInPacks: true, global: ["create"] },
	trigger_type: { isInPacks: true },
	trigger: { isInPacks: true },
	// Trigger instances are not known in advance, so permissions are granted on trigger types.
	trigger_instance: { isInPacks: true, guardedBy: "trigger_type" },
	timer: { isInPacks: true },
	api_key: { global: ["create"] },
	execution: { global: ["views_filters_list"] },
	stream: { global: ["view"] },
	inquiry: { global: ["view", "respond", "all"] },
	token: { global: ["validate"] },
	workflow: { global: ["inspect"] },
	metrics: { global: ["view"] },
	webhook: { scopedVerbs: ["send"] },
};

for (const [type, list] of Object.entries(verbs)) {
	registerPermissions(type as keyof Verbs & ResourceType, { verbs: list, ...special[type as keyof Verbs] });
}
