/** Permission names of the resources served so far (reference of permission types). A new resource adds its own here. */
export const permissionNames = [
	"action_list",
	"action_view",
	"action_create",
	"action_modify",
	"action_delete",
	"action_execute",
	"execution_list",
	"execution_view",
	"execution_rerun",
	"execution_stop",
	"execution_views_filters_list",
	"runner_type_list",
	"runner_type_view",
	"runner_type_modify",
	"stream_view",
] as const;

/** What a route asks of its caller: nothing, any valid credential, or a permission. */
export type Permission = "public" | "authenticated" | (typeof permissionNames)[number];

const known: ReadonlySet<unknown> = new Set<Permission>(["public", "authenticated", ...permissionNames]);

/** Whether `value` is a permission a route may declare. */
export function isPermission(value: unknown): value is Permission {
	return known.has(value);
}
