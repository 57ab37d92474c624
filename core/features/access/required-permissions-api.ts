import type { RequiredPermission } from "../../kernel/basics/permission-types.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Access } from "./access-api.ts";

/** Throws `SVC_FORBIDDEN` naming the first of the permissions that the principal does not have. */
export function assertRequired(
	access: Pick<Access, "allows" | "assert">,
	principal: Principal,
	required: readonly RequiredPermission[],
): void {
	for (const { permission, resources, isSecretUsed = false } of required) {
		const asking = isSecretUsed ? withoutObserver(principal) : principal;
		if (resources?.some((resource) => access.allows(asking, permission, resource))) continue;
		access.assert(asking, permission, resources?.[0]);
	}
}

/** The principal with what its roles grant expressly: observers see secrets masked, and must not have them used on their behalf. */
export function withoutObserver(principal: Principal): Principal {
	const roles = principal.roles?.filter((role) => role !== "observer");
	return roles === undefined ? principal : { ...principal, roles };
}
