import type { PolicyEntity } from "../../contract/index.ts";
import type { RequiredPermission } from "../../kernel/basics/permission-types.ts";
import { splitRef } from "../../kernel/basics/refs.ts";

/**
 * Returns the permissions needed to write a policy, in addition to the one on its record. A policy determines where and when other content
 * runs. So a policy for another pack requires the permission on that pack, and a policy for all packs requires `policy_create` globally.
 */
export function toPolicyRights(
	verb: "create" | "modify" | "delete",
	{ pack, name, resource_ref }: Pick<PolicyEntity, "pack" | "name" | "resource_ref">,
): readonly RequiredPermission[] {
	// `policy_create` is the only permission on policies that can be granted globally.
	if (resource_ref === "*") return [{ permission: "policy_create" }];
	const concerned = splitRef(resource_ref).pack;
	if (concerned === pack) return [];
	return [{ permission: `policy_${verb}`, resources: [{ uid: `policy:${concerned}:${name}`, pack: concerned }] }];
}
