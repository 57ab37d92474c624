import { openToAuthenticated } from "../features/routes.ts";
import type { Guard } from "../http/authorizer.ts";
import { isGlobal, isPermissionType, type PermissionType } from "../kernel/basics/permission-types.ts";
import type { Engine } from "../kernel/engine-api.ts";

/** The engine's credentials and permissions, as the HTTP machinery asks for them. */
export function createGuard({ credentials, access }: Pick<Engine, "credentials" | "access">): Guard {
	return {
		authenticate: (offered) => credentials.authenticate(offered),
		// Routes have been asked whether their permissions are some before the first request.
		allows: (principal, permission, resource) => access.allows(principal, permission as PermissionType, resource),
		assert: (principal, permission, resource) => access.assert(principal, permission as PermissionType, resource),
		isPermission: isPermissionType,
		isGlobal: (permission) => isGlobal(permission as PermissionType),
		openToAuthenticated,
	};
}
