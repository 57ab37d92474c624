import type { PolicyEntity } from "../../contract/index.ts";
import type { RequiredPermission } from "../../kernel/basics/permission-types.ts";
import { splitRef } from "../../kernel/basics/refs.ts";

/**
 * Permissions that writing a policy needs in addition to the one on its own record: a policy decides where and when other content runs,
 * so one about another pack needs the permission there too, and one about everything needs `policy_create` globally.
 */
export function toPolicyRights(
	verb: "create" | "modify" | "delete",
	{ pack, name, resource_ref }: Pick<PolicyEntity, "pack" | "name" | "resource_ref">,
): readonly RequiredPermission[] {
	// The only permission on policies that can be granted globally.
	if (resource_ref === "*") return [{ permission: "policy_create" }];
	const concerned = splitRef(resource_ref).pack;
	if (concerned === pack) return [];
	return [{ permission: `policy_${verb}`, resources: [{ uid: `policy:${concerned}:${name}`, pack: concerned }] }];
}
