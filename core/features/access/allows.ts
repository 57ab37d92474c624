import type { Resource } from "../../kernel/basics/refs.ts";
import { isGlobal, type PermissionType, resourceTypeOf } from "./permission-types.ts";
import type { Grant } from "./roles.ts";

/** Permissions that stand for others when an execution is asked about: executions have no grants of their own. */
const executionPermissions: { readonly [P in PermissionType]?: readonly PermissionType[] } = {
	execution_view: ["action_view", "action_all"],
	execution_stop: ["action_execute", "action_all"],
	// To say what came of a run is not part of running it.
	execution_complete: ["action_complete", "action_all"],
	execution_rerun: ["action_execute", "action_all"],
};

/** Whoever may run the action of the parent may answer the questions it asks. */
const inquiryPermissions: { readonly [P in PermissionType]?: readonly PermissionType[] } = {
	inquiry_view: ["inquiry_view", "inquiry_respond", "inquiry_list", "inquiry_all", "action_execute", "action_all"],
	inquiry_respond: ["inquiry_respond", "inquiry_all", "action_execute", "action_all"],
};

/** Enforcements are guarded by their rules. */
const enforcementPermissions: { readonly [P in PermissionType]?: readonly PermissionType[] } = {
	rule_enforcement_list: ["rule_enforcement_list", "rule_list", "rule_all"],
	rule_enforcement_view: ["rule_enforcement_view", "rule_view", "rule_create", "rule_modify", "rule_delete", "rule_all"],
};

const implyingView = ["create", "modify", "delete", "execute", "set"];

/** Whether the observer role has a permission. Who did what is for those alone who are told to look after it. */
export function observerAllows(permission: PermissionType): boolean {
	return permission !== "audit_view" && /_(view|list|search)$/.test(permission);
}

/** Whether some grant gives the permission: on the record, on its pack, or globally. */
export function grantsAllow(grants: readonly Grant[], permission: PermissionType, resource?: Resource): boolean {
	const sufficient: ReadonlySet<string> = new Set(toSufficient(permission));
	const uids = resource === undefined ? [] : [resource.uid, ...(resource.pack === undefined ? [] : [`pack:${resource.pack}`])];
	return grants.some(({ resource_uid: uid, permission_types: types }) => {
		if (uid === undefined ? !isGlobal(permission) : !uids.includes(uid)) return false;
		return types.some((type) => sufficient.has(type));
	});
}

/** The records that the grants give the permission on, by their uids; `*` for all of them. */
export function grantedUids(grants: readonly Grant[], permission: PermissionType): readonly string[] {
	const sufficient: ReadonlySet<string> = new Set(toSufficient(permission));
	const held = grants.filter(({ permission_types: types }) => types.some((type) => sufficient.has(type)));
	return [...new Set(held.flatMap(({ resource_uid: uid }) => uid ?? (isGlobal(permission) ? ["*"] : [])))];
}

/** Every permission that includes this one. */
function toSufficient(permission: PermissionType): readonly PermissionType[] {
	const mapped = executionPermissions[permission] ?? inquiryPermissions[permission] ?? enforcementPermissions[permission];
	if (mapped !== undefined) return mapped;
	const type = resourceTypeOf(permission);
	const all = `${type}_all` as PermissionType;
	if (permission !== `${type}_view`) return [permission, all];
	return [permission, all, ...implyingView.map((verb) => `${type}_${verb}` as PermissionType)];
}
