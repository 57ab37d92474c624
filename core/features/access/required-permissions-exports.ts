import type { RequiredPermission } from "../../kernel/basics/permission-types.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Access } from "./access-exports.ts";

/**
 * Throws `SVC_FORBIDDEN` with the first required permission that the principal does not have. A permission on one of its resources is
 * sufficient.
 */
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

/** Returns the principal without the role `observer`. Observers see secrets only masked, so the service must not use secrets for them. */
export function withoutObserver(principal: Principal): Principal {
	const roles = principal.roles?.filter((role) => role !== "observer");
	return roles === undefined ? principal : { ...principal, roles };
}
